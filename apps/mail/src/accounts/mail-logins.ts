import { directory, mailboxAccess, type MailboxAccess, type UserRequest } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Injectable } from '@nestjs/common';
import { PRIMARY_ACCOUNT } from '../domain/mail-folder';

/** A user with the primary account, by which he logs in to a mail server. */
export interface MailLoginOwner {
  readonly userId: number;
  readonly account: MailboxAccess;
}

/** Finds users of the own context by the logins that they have at mail servers. */
@Injectable()
export class MailLogins {
  constructor(private readonly caller: Caller) {}

  /**
   * The user who logs in to the server of an account with a login; undefined without one. Logins are mail addresses or names of users:
   * what others an operator gives tells nothing of its user.
   */
  async findOwner(request: UserRequest, { server }: MailboxAccess, login: string): Promise<MailLoginOwner | undefined> {
    const userId = await this.findUser(request, login);
    if (userId === undefined) return undefined;
    const account = await this.findPrimaryAccount(request, userId);
    // The mailbox of a user of the same name at another server is another one.
    if (!account || account.login !== login || !hasSameServer(account.server, server)) return undefined;
    return { userId, account };
  }

  /** The login of a user at the server of an account; undefined where it names another user, or none. */
  async findLogin(request: UserRequest, account: MailboxAccess, userId: number): Promise<string | undefined> {
    const { login } = (await this.findPrimaryAccount(request, userId)) ?? {};
    const owner = login === undefined ? undefined : await this.findOwner(request, account, login);
    return owner?.userId === userId ? login : undefined;
  }

  private async findPrimaryAccount(request: UserRequest, user: number): Promise<MailboxAccess | undefined> {
    const query = { user, ids: [PRIMARY_ACCOUNT] };
    const [account] = await this.caller.call(mailboxAccess.list, { ...asService(request), query });
    return account;
  }

  private async findUser(request: UserRequest, login: string): Promise<number | undefined> {
    if (login.includes('@')) {
      const query = { addresses: [login] };
      const [found] = await this.caller.call(directory.byAddress, { ...asService(request), query });
      return found?.entity.kind === 'user' ? found.entity.id : undefined;
    }
    const found = await this.caller.call(directory.account, { ...asService(request), query: { name: login } });
    return found?.userId;
  }
}

const hasSameServer = (one: MailboxAccess['server'], other: MailboxAccess['server']): boolean =>
  one !== undefined && one.host === other?.host && one.port === other.port;

const asService = ({ principal, deadline, requestId, signal }: UserRequest) => ({
  principal: { kind: 'internal', service: 'mail', contextId: principal.contextId } as const,
  deadline,
  requestId,
  signal,
});
