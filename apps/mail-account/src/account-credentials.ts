import { MAIL_PASSWORD_SOURCE, type UserPrincipal } from '@groupware/contracts';
import type { MailCredentials } from '@groupware/mail-access';
import { Properties } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { PRIMARY_ID, type StoredAccount } from './domain/stored-account';
import { MailAccountConfig } from './mail-account.config';
import { PasswordVault } from './password-vault';

/** What users log in to the servers of their stored accounts with. */
@Injectable()
export class AccountCredentials {
  constructor(
    private readonly vault: PasswordVault,
    private readonly sessions: SessionStore,
    private readonly properties: Properties,
    private readonly config: MailAccountConfig,
  ) {}

  /** Login and password for the mail server; undefined when there is no password that can be read. */
  async mail(user: UserPrincipal, account: StoredAccount): Promise<MailCredentials | undefined> {
    const password = account.id === PRIMARY_ID ? await this.primary(user) : this.open(user, account, 'mail');
    return password === undefined || !account.login ? undefined : { login: account.login, password };
  }

  /** The same for the transport server; with `transport_auth` mail those of the mail server. */
  async transport(user: UserPrincipal, account: StoredAccount): Promise<MailCredentials | undefined> {
    if ((account.transport_auth ?? 'mail') === 'mail') return this.mail(user, account);
    const password = account.id === PRIMARY_ID ? await this.primary(user) : this.open(user, account, 'transport');
    const login = account.transport_login;
    return password === undefined || !login ? undefined : { login, password };
  }

  private open(user: UserPrincipal, account: StoredAccount, side: 'mail' | 'transport'): string | undefined {
    const sealed = side === 'mail' ? account.password : account.transport_password;
    if (!sealed) return undefined;
    return this.vault.open(sealed, { contextId: user.contextId, userId: user.userId, id: account.id, side });
  }

  private async primary(user: UserPrincipal): Promise<string | undefined> {
    if ((await this.properties.get(MAIL_PASSWORD_SOURCE, user)) === 'global')
      return this.config.globalPassword.reveal();
    const session = await this.sessions.peek(user.sessionId);
    return session && this.sessions.passwordOf(session);
  }
}
