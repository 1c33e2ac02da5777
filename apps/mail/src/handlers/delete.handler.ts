import { mail, reply, type AffectedMailFolders, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailPreferences } from '../accounts/mail-preferences';
import { Mailboxes } from '../accounts/mailboxes';
import { toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { readFolderState } from '../folders/folder-states';
import { MailWriter } from '../messages/mail-writer';
import { workByFolder } from './list.handler';

/** `delete`: into the trash of the account, or for good. Ids of mails that are gone are ignored. */
@Handles(mail.delete)
export class DeleteHandler implements Handler<typeof mail.delete> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly writer: MailWriter,
    private readonly preferences: MailPreferences,
  ) {}

  async handle(call: CallOf<typeof mail.delete>) {
    const { returnAffectedFolders } = call.query;
    const hard = call.query.harddelete || (await this.preferences.deletesForGood(call));
    const folders: Record<string, { total: number; unread: number }> = {};
    const warnings = await workByFolder(call.body, ({ folder, uids }) =>
      this.mailboxes.useFolder(call, folder, {}, async (open) => {
        const trash = uids.length > 0 ? await this.writer.deleteMails(open, uids, hard) : undefined;
        if (!returnAffectedFolders) return;
        for (const affected of [folder, trash].filter((each): each is MailFolder => each !== undefined)) {
          const { total, unread } = await readFolderState(open.session, affected);
          folders[toMailFolderId(affected)] = { total, unread };
        }
      }),
    );
    return reply<never[] | AffectedMailFolders>(returnAffectedFolders ? { conflicts: [], folders } : [], { warnings });
  }
}
