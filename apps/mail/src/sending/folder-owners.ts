import { CatalogueError, directory, mailboxAccess, type MailAddress, type MailboxAccess } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import { Mailboxes, type MailRequest } from '../accounts/mailboxes';
import { PRIMARY_ACCOUNT } from '../domain/mail-folder';
import type { MailPlace } from '../domain/mail-path';

/** Finds the users whose mailboxes hold shared folders: mails there are answered in the name of their owner. */
@Injectable()
export class FolderOwners {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly caller: Caller,
  ) {}

  /** Address of the owner of a mail that the user can read in a shared folder; undefined for other mails. */
  async findOwner(request: MailRequest, { folder, uid }: MailPlace): Promise<MailAddress | undefined> {
    try {
      const login = await this.mailboxes.useFolder(request, folder, { repeatable: true }, async ({ session }) => {
        const owner = session.findOwner(folder.path);
        return owner !== undefined && (await session.fetch([uid], { uid: true })).length > 0 ? owner : undefined;
      });
      return await this.findAddress(request, folder.account, login);
    } catch (error) {
      if (error instanceof CatalogueError) return undefined;
      throw error;
    }
  }

  /**
   * Address of another user who logs in to the server of an account with a login; undefined without one. Logins are mail
   * addresses or names of users: what others an operator gives tells nothing of its user.
   */
  async findAddress(
    request: MailRequest,
    accountId: number,
    login: string | undefined,
  ): Promise<MailAddress | undefined> {
    const userId = login === undefined ? undefined : await this.findUser(request, login);
    if (userId === undefined || userId === request.principal.userId) return undefined;
    const query = { user: userId, ids: [PRIMARY_ACCOUNT] };
    const [owned] = await this.caller.call(mailboxAccess.list, { ...asService(request), query });
    const account = await this.mailboxes.getAccount(request, accountId);
    // The mailbox of a user of the same name at another server is another one.
    if (!owned?.primaryAddress || owned.login !== login || !hasSameServer(owned, account)) return undefined;
    return [owned.personal ?? null, owned.primaryAddress];
  }

  private async findUser(request: MailRequest, login: string): Promise<number | undefined> {
    if (login.includes('@')) {
      const query = { addresses: [login] };
      const [found] = await this.caller.call(directory.byAddress, { ...asService(request), query });
      return found?.entity.kind === 'user' ? found.entity.id : undefined;
    }
    const found = await this.caller.call(directory.account, { ...asService(request), query: { name: login } });
    return found?.userId;
  }
}

const hasSameServer = ({ server: one }: MailboxAccess, { server: other }: MailboxAccess): boolean =>
  one !== undefined && one.host === other?.host && one.port === other.port;

const asService = ({ principal, deadline, requestId, signal }: MailRequest) => ({
  principal: { kind: 'internal', service: 'mail', contextId: principal.contextId } as const,
  deadline,
  requestId,
  signal,
});
