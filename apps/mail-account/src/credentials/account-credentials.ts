import { MAIL_PASSWORD_SOURCE, type UserPrincipal } from '@groupware/contracts';
import type { MailCredentials } from '@groupware/mail-access';
import { Properties } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { Injectable } from '@nestjs/common';
import { findStoredServer } from '../domain/account-view';
import { findGrant, createGrant, listServers, sharesPassword, type GrantedPassword } from '../domain/password-grant';
import type { ServerSide } from '../domain/server-address';
import { PRIMARY_ID, type StoredAccount } from '../domain/stored-account';
import { MailAccountConfig } from '../configuration/mail-account.config';
import { PasswordVault } from './password-vault';
import { PrimaryAccounts } from '../primary-account/primary-accounts';

/** Login and password for one server. */
export interface AccountLogin extends MailCredentials {
  readonly login: string;
  readonly password: string;
  /** True for the password of the operator: certificates that the user accepts do not count for it. */
  readonly isOperators: boolean;
}

/**
 * Credentials for the servers of accounts. The only place that hands out passwords: each only for a server it was
 * granted for, whatever the account says by now.
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
   * Login and password for the mail or the transport server of an account; with `transport_auth` mail both get the
   * same.
   * @param account as stored: its passwords with their granted servers
   * @param as as used: its servers and logins
   * @returns undefined when no password may be sent there
   */
  async findLogin(
    user: UserPrincipal,
    account: StoredAccount,
    purpose: ServerSide,
    as: StoredAccount = account,
  ): Promise<AccountLogin | undefined> {
    const side = purpose === 'transport' && !sharesPassword(as) ? 'transport' : 'mail';
    const field = side === 'mail' ? 'login' : 'transport_login';
    const login = as[field];
    const server = findStoredServer(as, purpose);
    if (!server || !login) return undefined;
    const isPrimary = account.id === PRIMARY_ID;
    // The global password opens mailboxes of other users, too.
    if (isPrimary && login !== account[field]) return undefined;
    const isOperators = isPrimary && (await this.properties.get(MAIL_PASSWORD_SOURCE, user)) === 'global';
    const granted = isOperators
      ? await this.getOperatorPassword()
      : isPrimary
        ? await this.findSessionPassword(user, account)
        : this.vault.unsealPassword(user, account, side);
    const grant = granted && findGrant(granted.servers, server);
    if (!grant || !granted.password) return undefined;
    return { login, password: granted.password, encryptedOnly: grant.encrypted, isOperators };
  }

  /** The session's password, granted for the provisioned servers. */
  private async findSessionPassword(user: UserPrincipal, account: StoredAccount): Promise<GrantedPassword | undefined> {
    const session = await this.sessions.peek(user.sessionId);
    const password = session && this.sessions.unsealPassword(session);
    const servers = (['mail', 'transport'] as const).flatMap((side) => listServers(account, side));
    return password === undefined ? undefined : { password, servers: servers.map((server) => createGrant(server)) };
  }

  /**
   * The global password, for the servers of the operator's own configuration. Administrators of a context provision servers and set
   * properties of users, resellers those of contexts; neither is to be trusted with it.
   */
  private async getOperatorPassword(): Promise<GrantedPassword> {
    const configured = await Promise.all([
      this.primaries.findConfiguredServer('mail'),
      this.primaries.findConfiguredServer('transport'),
    ]);
    return {
      password: this.config.globalPassword.reveal(),
      servers: [
        ...this.config.listGrantedServers(),
        ...configured.flatMap((server) => (server ? [createGrant(server)] : [])),
      ],
    };
  }
}
