import {
  MAIL_FOLDER_ROLES,
  standardMailFolders,
  type CallOf,
  type Handler,
  type MailFolderRole,
  type StandardMailFolders,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { toMailFolderId } from '../domain/mail-folder';
import { findStandardFolder, toFuturePath } from '../folders/standard-folders';

const PRIMARY_ACCOUNT = 0;

/** The standard folders of the primary mailbox, as the server has them; null for users without one. */
@Handles(standardMailFolders.find)
export class FindStandardFoldersHandler implements Handler<typeof standardMailFolders.find> {
  constructor(private readonly mailboxes: Mailboxes) {}

  async handle({ principal, ...call }: CallOf<typeof standardMailFolders.find>): Promise<StandardMailFolders | null> {
    const user = 'user' in principal ? principal.user : undefined;
    if (!user) return null;
    const request = { ...call, principal: user };
    // Clients ask for them often when they start: a new mailbox is found when the accounts are no longer remembered.
    const accounts = await this.mailboxes.listAccounts(request);
    if (!accounts.some(({ id }) => id === PRIMARY_ACCOUNT)) return null;
    return this.mailboxes.useAccount(request, PRIMARY_ACCOUNT, { repeatable: true }, async (session, account) => {
      const listed = await session.listMailboxes(false);
      const { namespacePrefix: namespace, separator } = session;
      const ids = MAIL_FOLDER_ROLES.map((role): [MailFolderRole, string] => {
        const path =
          role === 'inbox'
            ? 'INBOX'
            : (findStandardFolder(listed, account, role)?.path ?? toFuturePath(account, role, namespace));
        return [role, toMailFolderId({ account: PRIMARY_ACCOUNT, path })];
      });
      return { ids: Object.fromEntries(ids) as Record<MailFolderRole, string>, namespace, separator };
    });
  }
}
