import type { UserPrincipal } from '@groupware/contracts';
import { MailFailure, withToken, type MailCredentials } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { findStoredServer } from '../domain/account-view';
import { findLoginName } from '../domain/password-grant';
import type { ServerAddress, ServerSide } from '../domain/server-address';
import type { StoredAccount } from '../domain/stored-account';
import { AccountCredentials, type AccountLogin } from './account-credentials';
import { AccountTokens } from './account-tokens';

/** Credentials as they are used. */
export type UsedCredentials = MailCredentials & Partial<Pick<AccountLogin, 'isOperators'>>;

/** Logs in to a server with credentials that it is handed. */
export type LoginWork<T> = (server: ServerAddress, credentials: UsedCredentials) => Promise<T>;

/** Logs in to servers of accounts, with the password or the access token of each. */
@Injectable()
export class AccountLogins {
  constructor(
    private readonly credentials: AccountCredentials,
    private readonly tokens: AccountTokens,
  ) {}

  /** Whether an account logs in with access tokens. */
  async usesToken(user: UserPrincipal, account: StoredAccount, purpose: ServerSide): Promise<boolean> {
    return (await this.tokens.findSource(user, account, purpose)) !== undefined;
  }

  /**
   * Logs in with a token; the second time with another one, when the server refuses the first.
   * @param as as used: its servers and logins
   * @returns undefined for an account that logs in with a password
   * @throws MailFailure, and what {@link AccountTokens.findToken} throws
   */
  async tryToken<T>(
    user: UserPrincipal,
    as: StoredAccount,
    purpose: ServerSide,
    work: LoginWork<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const source = await this.tokens.findSource(user, as, purpose);
    if (!source) return undefined;
    const server = findStoredServer(as, purpose);
    if (!server) throw new MailFailure('credentials');
    const { host } = server;
    const login = findLoginName(as, purpose);
    const result = await withToken(
      async (refused) =>
        (await this.tokens.findToken(user, source, { host, ...(refused === undefined ? {} : { refused }) }))
          ?.accessToken,
      // Anyone who reads a token on its way has the account until its end.
      (accessToken) => work(server, { login, accessToken, encryptedOnly: true }),
    );
    return { result };
  }

  /**
   * Logs in as the stored account does.
   * @returns undefined when there are no credentials for its server
   * @throws as {@link tryToken}
   */
  async logIn<T>(
    user: UserPrincipal,
    account: StoredAccount,
    purpose: ServerSide,
    work: LoginWork<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const byToken = await this.tryToken(user, account, purpose, work);
    if (byToken) return byToken;
    const server = findStoredServer(account, purpose);
    const credentials = server && (await this.credentials.findLogin(user, account, purpose));
    return credentials && { result: await work(server, credentials) };
  }
}
