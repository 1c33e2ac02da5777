import { MAIL_PASSWORD_SOURCE, type UserPrincipal } from '@groupware/contracts';
import type { MailCredentials } from '@groupware/mail-access';
import { Properties } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { storedServer } from './domain/account-view';
import { findGrant, grantFor, serversOf, sharesPassword, type GrantedPassword } from './domain/password-grant';
import type { ServerSide } from './domain/server-address';
import { PRIMARY_ID, type StoredAccount } from './domain/stored-account';
import { MailAccountConfig } from './mail-account.config';
import { PasswordVault } from './password-vault';
import { PrimaryAccounts } from './primary-accounts';

/** Credentials for one server. */
export interface AccountLogin extends MailCredentials {
  readonly login: string;
  readonly password: string;
  /** True for the password of the operator: certificates that the user accepts do not count for it. */
  readonly isOperators: boolean;
}

/**
 * What users log in to the servers of their accounts with. The one place that gives passwords out: each only for a server that
 * it was given for, whatever the account says by now.
 */
@Injectable()
export class AccountCredentials {
  constructor(
    private readonly vault: PasswordVault,
    private readonly sessions: SessionStore,
    private readonly properties: Properties,
    private readonly config: MailAccountConfig,
    private readonly primaries: PrimaryAccounts,
  ) {}

  /**
   * Login and password for the mail or the transport server of an account; with `transport_auth` mail both get the same.
   * @param account as it is stored: its passwords, and what they were given for
   * @param as as it is to be used: its servers and logins
   * @returns undefined when there is no password that may be sent there
   */
  async find(
    user: UserPrincipal,
    account: StoredAccount,
    purpose: ServerSide,
    as: StoredAccount = account,
  ): Promise<AccountLogin | undefined> {
    const side = purpose === 'transport' && !sharesPassword(as) ? 'transport' : 'mail';
    const field = side === 'mail' ? 'login' : 'transport_login';
    const login = as[field];
    const server = storedServer(as, purpose);
    if (!server || !login) return undefined;
    const isPrimary = account.id === PRIMARY_ID;
    // The global password opens the mailboxes of others, too.
    if (isPrimary && login !== account[field]) return undefined;
    const isOperators = isPrimary && (await this.properties.get(MAIL_PASSWORD_SOURCE, user)) === 'global';
    const granted = isOperators
      ? await this.ofOperator()
      : isPrimary
        ? await this.ofSession(user, account)
        : this.vault.open(user, account, side);
    const grant = granted && findGrant(granted.servers, server);
    if (!grant || !granted.password) return undefined;
    return { login, password: granted.password, encryptedOnly: grant.encrypted, isOperators };
  }

  /** Given at the log-in for the servers that were provisioned. */
  private async ofSession(user: UserPrincipal, account: StoredAccount): Promise<GrantedPassword | undefined> {
    const session = await this.sessions.peek(user.sessionId);
    const password = session && this.sessions.passwordOf(session);
    const servers = (['mail', 'transport'] as const).flatMap((side) => serversOf(account, side));
    return password === undefined ? undefined : { password, servers: servers.map((server) => grantFor(server)) };
  }

  /**
   * The global password, for the servers of the operator's own configuration. Administrators of a context provision servers and set
   * properties of users, resellers those of contexts; neither is to be trusted with it.
   */
  private async ofOperator(): Promise<GrantedPassword> {
    const configured = await Promise.all([
      this.primaries.serverOfProperties('mail'),
      this.primaries.serverOfProperties('transport'),
    ]);
    return {
      password: this.config.globalPassword.reveal(),
      servers: [...this.config.grantedServers(), ...configured.flatMap((server) => (server ? [grantFor(server)] : []))],
    };
  }
}
