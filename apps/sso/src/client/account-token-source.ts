import { Injectable } from '@nestjs/common';
import { OAuthErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import * as client from 'openid-client';
import { AccountRepository, type AccountRow } from '../persistence/account.repository';
import { OAuthAccounts } from './oauth-accounts';
import { OAuthServices, toServiceId, type OAuthService, type ServiceUser } from './oauth-services';
import { isGrantEnded, ServiceClient, toServiceError } from './service-client';
import { TokenRefreshes, type KeptTokens } from './token-refreshes';
import { toAccountTokens, TokenVault, type AccountTokens } from './token-vault';

/** How long before its end a token is refreshed, ms. */
const LEEWAY_MS = 60_000;

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
    private readonly refreshes: TokenRefreshes,
    private readonly clock: Clock,
  ) {}

  /**
   * The access token of an account, for a server that may be shown it; undefined for another one.
   * @param refused one that the server refused before its end: another one is got, undefined when there is none
   * @throws OAUTH-0006, OAUTH-0004, OAUTH-0013 when the access ended, OAUTH-0018, OAUTH-0017
   */
  async find(user: ServiceUser, id: number, host: string, refused?: string): Promise<string | undefined> {
    const usable = await this.load(user, id);
    const service = await this.services.require(toServiceId(usable.row.service), user);
    if (!service.mailServers.includes(host.toLowerCase())) return undefined;
    const { state } = this.judge(usable, refused);
    if (state === 'good') return usable.tokens.access;
    // There is no other one, and its server may be the one that is wrong.
    if (state === 'refused' && usable.tokens.refresh === undefined) return undefined;
    const next = await this.refreshes.refresh<Usable>({
      name: `account:${user.contextId}:${user.userId}:${id}`,
      read: async () => this.judge(await this.load(user, id), refused),
      renew: (former) => this.askService(user, service, former),
      late: () => OAuthErrors.connectFailed(service.displayName),
    });
    return next?.tokens.access;
  }

  private async load(user: ServiceUser, id: number): Promise<Usable> {
    const row = await this.accounts.require(user, id);
    const tokens = this.vault.unsealTokens(user, row);
    if (row.isEnded || !tokens) throw OAuthErrors.invalidAccount(row.displayName);
    return { row, tokens };
  }

  private judge(usable: Usable, refused: string | undefined): KeptTokens<Usable> {
    const { access, expiresAt } = usable.tokens;
    const isFresh = expiresAt === undefined || expiresAt > this.clock.now() + LEEWAY_MS;
    return { tokens: usable, state: !isFresh ? 'old' : access === refused ? 'refused' : 'good' };
  }

  private async askService(user: ServiceUser, service: OAuthService, { row, tokens }: Usable): Promise<Usable> {
    const next = await this.requestTokens(service, tokens);
    const sealed = next ? this.vault.sealTokens(user, row.id, next) : row.sealed;
    await this.database.transact(user, (tx) =>
      this.rows.refresh(tx, user.userId, row, { sealed, isEnded: next === undefined }),
    );
    if (!next) throw OAuthErrors.invalidAccount(row.displayName);
    return { row, tokens: next };
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
