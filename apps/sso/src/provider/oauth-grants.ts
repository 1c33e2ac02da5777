import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OAUTH_MAX_GRANTS, OAUTH_PROVIDER, type Tenant } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { GrantRepository, type GrantRow } from '../persistence/grant.repository';
import { ProviderSessions, type IssuedToken } from './provider-sessions';

/** Tokens that an application gets. */
export interface GrantedTokens extends IssuedToken {
  readonly refreshToken: string;
  readonly scopes: readonly string[];
}

/** The user who grants, and what. */
export interface NewGrant extends Tenant {
  readonly userId: number;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A refresh token names its context, where the grant is looked for. */
const makeRefreshToken = (contextId: number): string =>
  `${contextId.toString(36)}.${randomBytes(32).toString('base64url')}`;

/** The context of a refresh token; undefined for a text that is none. */
function contextOfRefreshToken(token: string): number | undefined {
  const contextId = /^([0-9a-z]{1,7})\.[\w-]{43}$/.exec(token)?.[1];
  const id = contextId === undefined ? NaN : parseInt(contextId, 36);
  return id >= 1 && id <= 2_147_483_647 ? id : undefined;
}

/** Grants of users to applications, and the tokens for them. */
@Injectable()
export class OAuthGrants {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: GrantRepository,
    private readonly sessions: ProviderSessions,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Whether a user may grant access at all. */
  isOffered(contextId: number, userId: number): Promise<boolean> {
    return this.properties.get(OAUTH_PROVIDER, { contextId, userId });
  }

  /** Stores a grant and issues its first tokens; undefined when the user may not log in any more. */
  async create({
    contextId,
    userId,
    clientId,
    scopes,
  }: NewGrant): Promise<(GrantedTokens & { id: string }) | undefined> {
    const id = randomUUID();
    const refreshToken = makeRefreshToken(contextId);
    const issued = await this.sessions.issueToken({ contextId, userId, clientId, grant: id, scopes });
    if (!issued) return undefined;
    const most = this.properties.serverValue(OAUTH_MAX_GRANTS);
    const surplus = await this.database.transact({ contextId }, async (tx) => {
      await this.rows.insert(tx, {
        id,
        userId,
        clientId,
        scopes: [...scopes],
        refreshDigest: digestOf(refreshToken),
        createdAt: this.clock.now(),
      });
      return this.rows.removeSurplus(tx, userId, clientId, most);
    });
    await this.sessions.endOfGrants(surplus);
    return { ...issued, id, refreshToken, scopes };
  }

  /**
   * Exchanges a refresh token of an application for new tokens; undefined for one that is not good. One that was replaced before was
   * stolen, from us or elsewhere: the grant ends.
   */
  async refresh(token: string, clientId: string): Promise<GrantedTokens | undefined> {
    const contextId = contextOfRefreshToken(token);
    if (contextId === undefined) return undefined;
    const refreshToken = makeRefreshToken(contextId);
    const found = await this.database.transact({ contextId }, async (tx) => {
      const grant = await this.rows.findByRefresh(tx, digestOf(token));
      if (!grant || grant.clientId !== clientId) return undefined;
      if (grant.isFormer) await this.rows.remove(tx, grant.id);
      else await this.rows.rotate(tx, grant.id, digestOf(refreshToken));
      return grant;
    });
    if (!found) return undefined;
    await this.sessions.endOfGrants([found.id]);
    if (found.isFormer || !(await this.isOffered(contextId, found.userId))) return undefined;
    const owner = { contextId, userId: found.userId, clientId, grant: found.id, scopes: found.scopes };
    const issued = await this.sessions.issueToken(owner);
    if (!issued || !(await this.isLive(owner))) return undefined;
    return { ...issued, refreshToken, scopes: found.scopes };
  }

  /** False for a grant that was ended meanwhile: its end took only the tokens of that moment, so the new one goes, too. */
  private async isLive({ contextId, grant }: Tenant & { grant: string }): Promise<boolean> {
    const isLive = await this.database.read({ contextId }, (db) => this.rows.exists(db, grant));
    if (!isLive) await this.sessions.endOfGrants([grant]);
    return isLive;
  }

  /** Ends one grant. */
  async end({ contextId }: Tenant, id: string): Promise<void> {
    await this.database.transact({ contextId }, (tx) => this.rows.remove(tx, id));
    await this.sessions.endOfGrants([id]);
  }

  /** Ends the grant of a refresh token; false for an unknown one. */
  async endByRefreshToken(token: string): Promise<boolean> {
    const contextId = contextOfRefreshToken(token);
    if (contextId === undefined) return false;
    const id = await this.database.transact({ contextId }, async (tx) => {
      const grant = await this.rows.findByRefresh(tx, digestOf(token));
      if (grant) await this.rows.remove(tx, grant.id);
      return grant?.id;
    });
    if (id !== undefined) await this.sessions.endOfGrants([id]);
    return id !== undefined;
  }

  /** Ends what a user granted an application. */
  async endByClient({ contextId }: Tenant, userId: number, clientId: string): Promise<void> {
    const ids = await this.database.transact({ contextId }, (tx) => this.rows.removeByClient(tx, userId, clientId));
    await this.sessions.endOfGrants(ids);
  }

  /** Grants of a user, newest first. */
  list({ contextId }: Tenant, userId: number): Promise<GrantRow[]> {
    return this.database.read({ contextId }, (db) => this.rows.listByUser(db, userId));
  }
}
