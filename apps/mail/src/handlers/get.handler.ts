import { mail, MailErrors, type CallOf, type Handler, type MailData } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder } from '../domain/mail-folder';
import { decodeBytes } from '../domain/mail-headers';
import { requireMail } from './update.handler';

/** `get`: the headers or the source of a mail. Reading it marks it as read. */
@Handles(mail.get)
export class GetHandler implements Handler<typeof mail.get> {
  constructor(private readonly mailboxes: Mailboxes) {}

  handle(call: CallOf<typeof mail.get>): Promise<MailData | string> {
    const { query } = call;
    return this.mailboxes.useFolder(call, parseMailFolder(query.folder), { repeatable: true }, async ({ session }) => {
      const uid = await requireMail(session, query);
      const [message] = await session.fetch([uid], {
        uid: true,
        ...(query.src ? { source: true } : { headers: true }),
      });
      const bytes = message && (query.src ? message.source : message.headers);
      if (!bytes) throw MailErrors.notFound(query.id ?? query.message_id!, query.folder);
      if (!query.unseen && !session.isReadOnly) await session.store([uid], 'add', ['\\Seen']);
      return decodeBytes(bytes);
    });
  }
}
