import type { DirectoryEntity, DirectoryResource, DirectoryUser, Tenant } from '@groupware/contracts';
import { ExpiringCache } from './expiring-cache';

/** Asks the identity service; the module that uses the directory passes its own client in. */
export interface DirectorySource {
  entities(tenant: Tenant, ids: readonly number[]): Promise<DirectoryEntity[]>;
  byAddress(
    tenant: Tenant,
    addresses: readonly string[],
  ): Promise<{ address: string; entity: DirectoryUser | DirectoryResource }[]>;
}

/** Lifetime and size of the cache. */
export interface DirectorySettings {
  readonly lifetimeMs: number;
  readonly maxEntries: number;
}

/** Defaults that suit one service process. */
export const DIRECTORY_SETTINGS: DirectorySettings = { lifetimeMs: 60_000, maxEntries: 50_000 };

/**
 * Users, groups and resources of the identity service, cached for a short time. Unknown ids are not cached, so new
 * entities are found at once.
 */
export class Directory {
  private readonly byId: ExpiringCache<DirectoryEntity>;
  private readonly byMail: ExpiringCache<DirectoryUser | DirectoryResource | null>;

  constructor(
    private readonly source: DirectorySource,
    private readonly now: () => number,
    settings: DirectorySettings = DIRECTORY_SETTINGS,
  ) {
    this.byId = new ExpiringCache(settings.lifetimeMs, settings.maxEntries);
    this.byMail = new ExpiringCache(settings.lifetimeMs, settings.maxEntries);
  }

  /** The entities of the ids; unknown ids are missing in the map. */
  async getEntities(tenant: Tenant, ids: Iterable<number>): Promise<Map<number, DirectoryEntity>> {
    const found = new Map<number, DirectoryEntity>();
    const missing: number[] = [];
    const now = this.now();
    for (const id of new Set(ids)) {
      const known = this.byId.get(`${tenant.contextId}:${id}`, now);
      if (known) found.set(id, known);
      else missing.push(id);
    }
    if (missing.length > 0)
      for (const entity of await this.source.entities(tenant, missing)) {
        this.byId.set(`${tenant.contextId}:${entity.id}`, entity, now);
        found.set(entity.id, entity);
      }
    return found;
  }

  /** Gets the entities without the cache. */
  async refreshEntities(tenant: Tenant, ids: readonly number[]): Promise<Map<number, DirectoryEntity>> {
    if (ids.length === 0) return new Map();
    const now = this.now();
    const entities = await this.source.entities(tenant, ids);
    for (const entity of entities) this.byId.set(`${tenant.contextId}:${entity.id}`, entity, now);
    return new Map(entities.map((entity) => [entity.id, entity]));
  }

  /** Users and resources by mail address (lower case in the map); unknown addresses are missing. */
  async findByAddresses(
    tenant: Tenant,
    addresses: Iterable<string>,
  ): Promise<Map<string, DirectoryUser | DirectoryResource>> {
    const found = new Map<string, DirectoryUser | DirectoryResource>();
    const missing: string[] = [];
    const now = this.now();
    for (const address of new Set([...addresses].map((text) => text.toLowerCase()))) {
      const known = this.byMail.get(`${tenant.contextId}:${address}`, now);
      if (known) found.set(address, known);
      else if (known === undefined) missing.push(address);
    }
    if (missing.length === 0) return found;
    const answers = new Map(
      (await this.source.byAddress(tenant, missing)).map(({ address, entity }) => [address.toLowerCase(), entity]),
    );
    for (const address of missing) {
      const entity = answers.get(address);
      this.byMail.set(`${tenant.contextId}:${address}`, entity ?? null, now);
      if (entity) found.set(address, entity);
    }
    return found;
  }

  /** Drops cached entries of a context: call it on events about its entities. */
  invalidate(tenant: Tenant): void {
    this.byId.forget(`${tenant.contextId}:`);
    this.byMail.forget(`${tenant.contextId}:`);
  }
}
