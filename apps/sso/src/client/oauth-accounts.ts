import { Injectable } from '@nestjs/common';
import {
  OAUTH_MAX_ACCOUNTS,
  oauthAccountEvents,
  OAuthErrors,
  type OAuthAccountData,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Clock, Logger, Properties, describeError } from '@groupware/service-kit';
import * as client from 'openid-client';
import { AccountRepository, type AccountRow } from '../persistence/account.repository';
import { AccountDependants, type Dependant } from './account-dependants';
import { OAuthServices, toServiceId, type OAuthService, type ServiceUser } from './oauth-services';
import { ServiceClient } from './service-client';
import { TokenVault, type AccountTokens } from './token-vault';

const log = Logger.for('sso');

/** A new account. */
export interface NewAccount {
  readonly service: OAuthService;
  readonly displayName: string;
  readonly scopes: readonly string[];
  readonly tokens: AccountTokens;
}

/** Accounts of users with services elsewhere. */
@Injectable()
export class OAuthAccounts {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: AccountRepository,
    private readonly services: OAuthServices,
    private readonly clients: ServiceClient,
    private readonly vault: TokenVault,
    private readonly dependants: AccountDependants,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Accounts of a user, oldest first. */
  async list(user: UserPrincipal, serviceId?: string): Promise<OAuthAccountData[]> {
    const [rows, services] = await Promise.all([
      this.database.read(user, (db) => this.rows.listByUser(db, user.userId)),
      this.services.list(user),
    ]);
    const chosen = rows.filter(({ service }) => serviceId === undefined || toServiceId(service) === serviceId);
    const dependants = chosen.length > 0 ? await this.dependants.list(user) : [];
    return chosen.map((row) => toView(row, services, dependants));
  }

  /** @throws OAUTH-0006 */
  async get(user: UserPrincipal, id: number): Promise<OAuthAccountData> {
    const row = await this.require(user, id);
    const [services, dependants] = await Promise.all([this.services.list(user), this.dependants.list(user)]);
    return toView(row, services, dependants);
  }

  /** The stored account. @throws OAUTH-0006 also for one of another user */
  async require(user: ServiceUser, id: number): Promise<AccountRow> {
    const row = await this.database.read(user, (db) => this.rows.find(db, user.userId, id));
    if (!row) throw OAuthErrors.accountNotFound(id);
    return row;
  }

  /** @throws OAUTH-0041 when the user has as many as may be */
  async requireRoom(user: ServiceUser): Promise<void> {
    const most = await this.getMost(user);
    await this.database.read(user, (db) => this.requireFewerThan(db, user, most));
  }

  private getMost({ contextId, userId }: ServiceUser): Promise<number> {
    return this.properties.get(OAUTH_MAX_ACCOUNTS, { contextId, userId });
  }

  private async requireFewerThan(db: Reader, { userId }: ServiceUser, most: number): Promise<void> {
    const rows = await this.rows.listByUser(db, userId);
    if (rows.length >= most) throw OAuthErrors.tooManyAccounts(most);
  }

  /** Stores an account. @throws OAUTH-0041 when others took the room since the request began */
  async create(user: UserPrincipal, { service, displayName, scopes, tokens }: NewAccount): Promise<OAuthAccountData> {
    const most = await this.getMost(user);
    const row = await this.database.transact(user, async (tx) => {
      // Locks the accounts of the user: of several requests that end at once each sees those before it.
      const id = await this.rows.allocateId(tx, user.userId);
      await this.requireFewerThan(tx, user, most);
      const created = {
        id,
        service: service.name,
        displayName,
        scopes: [...scopes],
        sealed: this.vault.sealTokens(user, id, tokens),
        isEnded: false,
        createdAt: this.clock.now(),
      };
      await this.rows.insert(tx, user.userId, created);
      return created;
    });
    return toView(row, [service], []);
  }

  /** Takes the tokens of a new grant. @throws OAUTH-0006, OAUTH-0040 when they are of another account of the service */
  async replaceGrant(user: UserPrincipal, id: number, tokens: AccountTokens, scopes: readonly string[]): Promise<void> {
    const former = this.vault.unsealTokens(user, await this.require(user, id));
    if (former && former.identity !== tokens.identity) throw OAuthErrors.differentAccount();
    const sealed = this.vault.sealTokens(user, id, tokens);
    const isThere = await this.database.transact(user, (tx) =>
      this.rows.replaceGrant(tx, user.userId, { id, sealed, scopes: [...scopes] }),
    );
    if (!isThere) throw OAuthErrors.accountNotFound(id);
  }

  /** Gives an account another name. @throws OAUTH-0006 */
  async rename(user: UserPrincipal, id: number, displayName: string): Promise<void> {
    const isThere = await this.database.transact(user, (tx) => this.rows.rename(tx, user.userId, id, displayName));
    if (!isThere) throw OAuthErrors.accountNotFound(id);
  }

  /** Removes an account with what depends on it, and gives its tokens back where the service takes them. @throws OAUTH-0006 */
  async remove(user: UserPrincipal, id: number): Promise<void> {
    const row = await this.database.transact(user, async (tx) => {
      const removed = await this.rows.remove(tx, user.userId, id);
      if (removed) await tx.publish(oauthAccountEvents['oauth-account.deleted'], { userId: user.userId, id });
      return removed;
    });
    if (!row) throw OAuthErrors.accountNotFound(id);
    await this.giveBack(user, row);
  }

  /** The account is gone whether the service hears of it or not. */
  private async giveBack(user: UserPrincipal, row: AccountRow): Promise<void> {
    const service = (await this.services.list(user)).find(({ name }) => name === row.service);
    const tokens = this.vault.unsealTokens(user, row);
    if (!service || !tokens) return;
    try {
      const configuration = await this.clients.configure(service);
      if (!configuration.serverMetadata().revocation_endpoint) return;
      await client.tokenRevocation(configuration, tokens.refresh ?? tokens.access);
    } catch (error) {
      log.info({ service: row.service, error: describeError(error) }, 'a service did not take its tokens back');
    }
  }
}

function toView(
  { id, displayName, service, scopes }: AccountRow,
  services: readonly OAuthService[],
  dependants: readonly Dependant[],
): OAuthAccountData {
  const known = services.find(({ name }) => name === service);
  return {
    id,
    displayName,
    serviceId: toServiceId(service),
    enabledScopes: scopes,
    availableScopes: known ? [...known.scopes.keys()] : [],
    associations: dependants.filter(({ accounts }) => accounts.includes(id)).map(({ association }) => association),
  };
}
