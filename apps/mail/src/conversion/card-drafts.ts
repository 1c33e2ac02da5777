import type { ConvertedObject, UserRequest } from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { parseMailPath } from '../domain/mail-path';
import { toMailFolderId } from '../domain/mail-folder';
import { DraftSaving } from '../sending/draft-saving';
import { OutgoingFiles } from '../sending/outgoing-files';
import { WrittenDrafts } from '../sending/written-drafts';
import { DataSourceFiles } from './data-source-files';

/** Makes drafts of mails that carry vCards. */
@Injectable()
export class CardDrafts {
  constructor(
    private readonly sources: DataSourceFiles,
    private readonly files: OutgoingFiles,
    private readonly drafts: WrittenDrafts,
    private readonly saving: DraftSaving,
  ) {}

  /** Stores a draft with vCards as its file. @throws CNV-0005 without any card, and as `mail?action=autosave` */
  async storeDraft(request: UserRequest, bytes: Buffer): Promise<ConvertedObject> {
    const file = await this.sources.keepCards(request.principal, bytes);
    try {
      const path = await this.drafts.withMail(request, {}, { uploads: [file] }, (mail) =>
        this.saving.saveDraft(request, mail, undefined),
      );
      const { folder, uid } = parseMailPath(path);
      return { folder_id: toMailFolderId(folder), id: String(uid) };
    } finally {
      await this.files.discardFiles([file]);
    }
  }
}
