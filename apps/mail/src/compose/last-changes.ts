import {
  ComposeUpdate,
  parseFormJson,
  type ComposeSpace,
  type ComposeSpaceQuery,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { OutgoingFiles } from '../sending/outgoing-files';
import { ComposeFiles } from './compose-files';
import { ComposeSpaces } from './compose-spaces';
import { toComposeUploads } from './compose-uploads';

/** Field of a form with the fields of the mail. */
const FIELDS = 'JSON';

/** Changes of fields. */
interface ChangedFields {
  readonly principal: UserPrincipal;
  readonly query: ComposeSpaceQuery;
  /** Undefined: they are in the file. */
  readonly body: ComposeUpdate | undefined;
  readonly files: readonly UploadedFile[];
}

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

  /** Changes fields; long ones come as a file. @throws as {@link ComposeSpaces.updateSpace} */
  async applyFields({ principal, query, ...call }: ChangedFields): Promise<ComposeSpace> {
    return this.spaces.updateSpace(principal, query, await this.files.readBody(ComposeUpdate, call));
  }

  /** Changes fields, and attaches files. @throws as {@link ComposeSpaces.updateSpace} and {@link ComposeFiles.addFiles} */
  async applyForm({ principal, query, body, files }: ChangeForm): Promise<void> {
    const fields = (await this.files.readField({ body, files }, FIELDS))?.trim();
    if (fields) await this.spaces.updateSpace(principal, query, parseFormJson(ComposeUpdate, fields, FIELDS));
    const attached = files.filter(({ field }) => field !== FIELDS);
    if (attached.length > 0) await this.composeFiles.addFiles(principal, query, toComposeUploads(attached));
  }
}
