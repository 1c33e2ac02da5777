import { mail, type CallOf, type Handler, type MailLocation } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder, toMailFolderId } from '../domain/mail-folder';
import { MailWriter } from '../messages/mail-writer';
import { requireMail } from './update.handler';

/** `copy`: a copy of a mail in another folder, with flags and colour. */
@Handles(mail.copy)
export class CopyHandler implements Handler<typeof mail.copy> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly writer: MailWriter,
  ) {}

  handle(call: CallOf<typeof mail.copy>): Promise<MailLocation> {
    const target = parseMailFolder(call.body.folder_id);
    return this.mailboxes.useFolder(call, parseMailFolder(call.query.folder), {}, async (open) => {
      const uid = await requireMail(open.session, call.query);
      const id = (await this.writer.copyMails(call, open, [uid], target)).get(uid);
      return { folder_id: toMailFolderId(target), ...(id ? { id: String(id) } : {}) };
    });
  }
}
