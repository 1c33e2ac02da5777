import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { OAuthErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import * as client from 'openid-client';
import { AccountRepository, type AccountRow } from '../persistence/account.repository';
import { OAuthAccounts } from './oauth-accounts';
import { OAuthServices, toServiceId, type OAuthService, type ServiceUser } from './oauth-services';
import { isGrantEnded, ServiceClient, toServiceError } from './service-client';
import { toAccountTokens, TokenVault, type AccountTokens } from './token-vault';

/** How long before its end a token is refreshed, ms. */
const LEEWAY_MS = 60_000;
/** Longest time that one process may refresh: what the service may be asked takes no longer, ms. */
const REFRESH_MS = 30_000;
/** How often others look whether it is done, ms. */
const LOOK_MS = 100;

/** An account with what is needed to use it. */
interface Usable {
  readonly row: AccountRow;
  readonly tokens: AccountTokens;
}

/** Access tokens of accounts that are good for a while yet. */
@Injectable()
export class AccountTokenSource {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: AccountRepository,
    private readonly accounts: OAuthAccounts,
    private readonly services: OAuthServices,
    private readonly clients: ServiceClient,
    private readonly vault: TokenVault,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  /**
   * The access token of an account, for a server that may be shown it; undefined for another one.
   * @throws OAUTH-0006, OAUTH-0004, OAUTH-0013 when the access ended, OAUTH-0018, OAUTH-0017
   */
  async find(user: ServiceUser, id: number, host: string): Promise<string | undefined> {
    const { row, tokens } = await this.load(user, id);
    const service = await this.services.require(toServiceId(row.service), user);
    if (!service.mailServers.includes(host.toLowerCase())) return undefined;
    return this.isFresh(tokens) ? tokens.access : this.refresh(user, id, service);
  }

  private async load(user: ServiceUser, id: number): Promise<Usable> {
    const row = await this.accounts.require(user, id);
    const tokens = this.vault.unsealTokens(user, row);
    if (row.isEnded || !tokens) throw OAuthErrors.invalidAccount(row.displayName);
    return { row, tokens };
  }

  private isFresh({ expiresAt }: AccountTokens): boolean {
    return expiresAt === undefined || expiresAt > this.clock.now() + LEEWAY_MS;
  }

  /** One process refreshes, the others wait for it: a refresh token that comes twice ends the grant at many services. */
  private async refresh(user: ServiceUser, id: number, service: OAuthService): Promise<string> {
    const claim = `oauth-refresh:${user.contextId}:${user.userId}:${id}`;
    const end = performance.now() + REFRESH_MS;
    while (performance.now() < end) {
      if (await this.sessions.claimName(claim, REFRESH_MS)) {
        try {
          const usable = await this.load(user, id);
          return this.isFresh(usable.tokens) ? usable.tokens.access : await this.askService(user, service, usable);
        } finally {
          await this.sessions.releaseName(claim);
        }
      }
      await pause(LOOK_MS);
      const { tokens } = await this.load(user, id);
      if (this.isFresh(tokens)) return tokens.access;
    }
    throw OAuthErrors.connectFailed(service.displayName);
  }

  private async askService(user: ServiceUser, service: OAuthService, { row, tokens }: Usable): Promise<string> {
    const next = await this.requestTokens(service, tokens);
    const sealed = next ? this.vault.sealTokens(user, row.id, next) : row.sealed;
    await this.database.transact(user, (tx) =>
      this.rows.refresh(tx, user.userId, row, { sealed, isEnded: next === undefined }),
    );
    if (!next) throw OAuthErrors.invalidAccount(row.displayName);
    return next.access;
  }

  /** New tokens; undefined when the service says that the grant ended, or there is nothing to get them by. */
  private async requestTokens(
    service: OAuthService,
    { refresh, identity }: AccountTokens,
  ): Promise<AccountTokens | undefined> {
    if (refresh === undefined) return undefined;
    const configuration = await this.clients.configure(service);
    try {
      const answer = await client.refreshTokenGrant(configuration, refresh);
      return toAccountTokens(answer, identity, this.clock.now(), refresh);
    } catch (cause) {
      if (isGrantEnded(cause)) return undefined;
      throw toServiceError(cause, service);
    }
  }
}
