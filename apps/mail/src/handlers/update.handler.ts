import {
  mail,
  MailErrors,
  RequestErrors,
  type CallOf,
  type Handler,
  type MailLocation,
  type MailQuery,
} from '@groupware/contracts';
import { atom, text, type ImapSession } from '@groupware/mail-access';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder, parseMailId, toMailFolderId } from '../domain/mail-folder';
import { ALL_MAILS } from '../listing/mail-listing';
import { MailWriter } from '../messages/mail-writer';

/** Finds the mail of a request by its id or its header Message-ID. @throws SVL-0002 without both, MSG-0032 */
export async function requireMail(session: ImapSession, { folder, id, message_id }: MailQuery): Promise<number> {
  if (id === undefined && message_id === undefined) throw RequestErrors.missingParameter('id');
  const uid = id === undefined ? undefined : parseMailId(id);
  const criteria =
    uid !== undefined
      ? [atom('UID'), atom(String(uid))]
      : id === undefined
        ? [atom('HEADER'), text('Message-ID'), text(message_id!)]
        : undefined;
  const [found] = criteria ? await session.listUids(criteria) : [];
  if (found === undefined) throw MailErrors.notFound(id ?? message_id!, folder);
  return found;
}

/** `update`: colour and flags of a mail, then its folder; without a mail of all in the folder. */
@Handles(mail.update)
export class UpdateHandler implements Handler<typeof mail.update> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly writer: MailWriter,
  ) {}

  handle(call: CallOf<typeof mail.update>): Promise<MailLocation> {
    const { query, body } = call;
    const folder = parseMailFolder(query.folder);
    const wanted = body.folder_id == null ? undefined : parseMailFolder(body.folder_id);
    return this.mailboxes.useFolder(call, folder, {}, async (open) => {
      const { session } = open;
      const isOne = query.id !== undefined || query.message_id !== undefined;
      const uids = isOne ? [await requireMail(session, query)] : await session.listUids(ALL_MAILS);
      await this.writer.changeFlags(call.principal, session, uids, body);
      const target = wanted ?? (await this.writer.findSpamTarget(open, body));
      const ids = target && uids.length > 0 ? await this.writer.moveMails(call, open, uids, target) : undefined;
      const [uid] = uids;
      const id = isOne && uid !== undefined ? (ids ? ids.get(uid) : uid) : undefined;
      return { folder_id: toMailFolderId(target ?? folder), ...(id ? { id: String(id) } : {}) };
    });
  }
}
