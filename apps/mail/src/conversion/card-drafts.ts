import { Readable } from 'node:stream';
import { ConversionErrors, type ConvertedObject } from '@groupware/contracts';
import { readCards, readContact } from '@groupware/vcard';
import { pauseAfterTurn } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { MailRequest } from '../accounts/mailboxes';
import { toFileName } from '../domain/file-name';
import { parseMailPath } from '../domain/mail-path';
import { toMailFolderId } from '../domain/mail-folder';
import { DraftSaving } from '../sending/draft-saving';
import { OutgoingFiles } from '../sending/outgoing-files';
import { WrittenDrafts } from '../sending/written-drafts';

/** Makes drafts of mails that carry vCards. */
@Injectable()
export class CardDrafts {
  constructor(
    private readonly files: OutgoingFiles,
    private readonly drafts: WrittenDrafts,
    private readonly saving: DraftSaving,
  ) {}

  /** Stores a draft with vCards as its file. @throws CNV-0005 without any card, and as `mail?action=autosave` */
  async storeDraft(request: MailRequest, bytes: Buffer): Promise<ConvertedObject> {
    const file = await this.files.keepFile(request.principal, Readable.from([bytes]), {
      name: `${toFileName(await findName(bytes)) || 'vcard'}.vcf`,
      type: 'text/vcard',
    });
    try {
      const path = await this.drafts.withMail(request, {}, [file], (mail) =>
        this.saving.saveDraft(request, mail, undefined),
      );
      const { folder, uid } = parseMailPath(path);
      return { folder_id: toMailFolderId(folder), id: String(uid) };
    } finally {
      await this.files.discardFiles([file]);
    }
  }
}

/** The name of the first contact. @throws CNV-0005 */
async function findName(bytes: Buffer): Promise<string> {
  for await (const { card } of readCards([bytes], { pause: pauseAfterTurn }))
    if (card) return readContact(card).contact.texts['display_name'] ?? '';
  throw ConversionErrors.noMatch('com.example.mail.vcard');
}
