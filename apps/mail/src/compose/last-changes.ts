import {
  ComposeUpdate,
  parseFormJson,
  type ComposeSpaceQuery,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { OutgoingFiles } from '../sending/outgoing-files';
import { ComposeFiles } from './compose-files';
import { ComposeSpaces } from './compose-spaces';
import { toComposeUploads } from './compose-uploads';

/** A form with changes. */
interface ChangeForm {
  readonly principal: UserPrincipal;
  readonly query: ComposeSpaceQuery;
  /** The field JSON holds the fields that change. */
  readonly body: Readonly<Record<string, string>> | undefined;
  readonly files: readonly UploadedFile[];
}

/** Takes over the changes that clients make as they send or save a mail. */
@Injectable()
export class LastChanges {
  constructor(
    private readonly spaces: ComposeSpaces,
    private readonly composeFiles: ComposeFiles,
    private readonly files: OutgoingFiles,
  ) {}

  /** Changes fields, and attaches files. @throws as {@link ComposeSpaces.updateSpace} and {@link ComposeFiles.addFiles} */
  async applyForm({ principal, query, body, files }: ChangeForm): Promise<void> {
    try {
      const fields = body?.JSON?.trim();
      if (fields) await this.spaces.updateSpace(principal, query, parseFormJson(ComposeUpdate, fields, 'JSON'));
      if (files.length > 0) await this.composeFiles.addFiles(principal, query, toComposeUploads(files));
    } finally {
      await this.files.discardFiles(files);
    }
  }
}
