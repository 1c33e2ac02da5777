import { ContextErrors } from '@groupware/contracts';
import { Client, Pool } from 'pg';
import type { Pooler } from './database-settings';
import { asFailure } from './failures';
import type { MigrationTarget } from './migrate';
import type { Migration, MigrationRunner } from './migration';
import { prepareSchema, type MigrationSettings } from './schema-preparation';
import type { Shard } from './shard';
import { singleHostUrl } from './connections/host-finder';
import { KEEP_ALIVE_MS, poolFor } from './connections/pool';

/** Begin of an address that only names an entry of the settings: the registry holds no credentials then. */
export const ADDRESS_REFERENCE = 'ref:';

/** Name of the shard that holds every context without an assignment. */
export const DEFAULT_SHARD = 'default';

class CreateShards1000000000001 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table shard (name text primary key, url text not null, usable_from bigint not null);
      create table context_shard (context_id int primary key, shard text not null references shard);
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table context_shard; drop table shard');
  }
}

/** Contexts that move, and rows for contexts of the default shard, which is no row of its own. */
class CreateMoves1000000000002 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table context_shard drop constraint context_shard_shard_fkey;
      alter table context_shard add column moving_to text;
    `);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(`
      alter table context_shard drop column moving_to;
      delete from context_shard where shard not in (select name from shard);
      alter table context_shard add constraint context_shard_shard_fkey foreign key (shard) references shard;
    `);
  }
}

/** Statements of the registry are short; one without an answer for so long has lost its connection, ms. */
const QUERY_TIMEOUT_MS = 3_000;

/** Settings of the registry. */
export interface ShardRegistrySettings {
  /** URL of the default shard, which also holds the registry. */
  readonly url: string;
  /** How long this process may work with the shards it knows. A new shard gets contexts only after twice this time. Default 30,000. */
  readonly leaseMs?: number;
  /** Most assignments kept in memory. Default 100,000. */
  readonly maxCached?: number;
  /** Addresses of shards by the name that the registry holds. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** Pooler before the server. */
  readonly pooler?: Pooler;
  /** Settings for making its tables. */
  readonly migration?: MigrationSettings;
}

/** The schema of the registry, which lies on the default shard. */
export const REGISTRY_SCHEMA: Pick<MigrationTarget, 'schema' | 'migrations' | 'withoutKit'> = {
  schema: 'registry',
  migrations: [CreateShards1000000000001, CreateMoves1000000000002],
  withoutKit: true,
};

/** Every shard, the default one first, for a program that needs them once; only that one where there is no registry yet. */
export async function readShards({ url, addresses = {} }: ShardRegistrySettings): Promise<readonly Shard[]> {
  const client = new Client({ connectionString: await singleHostUrl(url), application_name: 'groupware registry' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const home = { name: DEFAULT_SHARD, url };
    const { rowCount } = await client.query(
      `select from pg_tables where schemaname = 'registry' and tablename = 'shard'`,
    );
    if (!rowCount) return [home];
    const { rows } = await client.query<Shard>(LIST_SHARDS);
    return [home, ...withAddresses(rows, addresses)];
  } finally {
    await client.end();
  }
}

const LIST_SHARDS = 'select name, url from registry.shard order by name';

/** Those whose address is known here. */
const withAddresses = (shards: readonly Shard[], addresses: Readonly<Record<string, string>>): Shard[] =>
  shards.flatMap(({ name, url }) => {
    const address = url.startsWith(ADDRESS_REFERENCE) ? addresses[url.slice(ADDRESS_REFERENCE.length)] : url;
    return address === undefined ? [] : [{ name, url: address }];
  });

/** Which context lives in which shard. One per process; safe to share by its modules. */
export class ShardRegistry {
  private known: readonly Shard[];
  private readAt = 0;
  private reading?: Promise<void>;
  private readonly assignments = new Map<number, { readonly shard: string; readonly until: number }>();

  private constructor(
    private readonly pool: Pool,
    private readonly home: Shard,
    /** How long this process may work with what it knows, ms. */
    readonly leaseMs: number,
    private readonly maxCached: number,
    private readonly addresses: Readonly<Record<string, string>>,
  ) {
    this.known = [home];
  }

  /** Opens the registry and creates its tables if they are missing. */
  static async open(settings: ShardRegistrySettings): Promise<ShardRegistry> {
    const { url, leaseMs = 30_000, maxCached = 100_000, addresses = {}, migration, pooler = 'none' } = settings;
    const home = { name: DEFAULT_SHARD, url };
    await prepareSchema(home, REGISTRY_SCHEMA, migration).catch((error: unknown) => {
      throw asFailure(error, 'registry');
    });
    const pool = new Pool({
      ...poolFor(url),
      max: 2,
      connectionTimeoutMillis: 5_000,
      // A pooler refuses it: settings of a session are not kept.
      ...(pooler === 'none' && { statement_timeout: QUERY_TIMEOUT_MS }),
      // pg ends a connection on which this happens.
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'groupware registry',
      allowExitOnIdle: true,
    });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    const registry = new ShardRegistry(pool, home, leaseMs, maxCached, addresses);
    await registry.refresh();
    return registry;
  }

  /** Every shard, the default one first. */
  async shards(): Promise<readonly Shard[]> {
    await this.lease();
    return this.known;
  }

  /** Whether the settings have an address of that name. */
  knowsAddress(name: string): boolean {
    return Object.hasOwn(this.addresses, name);
  }

  /**
   * Finds the shard of a context. A context without an assignment lives in the default shard.
   * @throws CTX-0007 while the context moves
   */
  async shardOf(contextId: number): Promise<Shard> {
    const waiting = this.lease();
    if (waiting) await waiting;
    if (this.known.length === 1) return this.home;
    const name = await this.nameOf(contextId);
    let shard = this.known.find((candidate) => candidate.name === name);
    if (!shard) {
      await this.refresh();
      shard = this.known.find((candidate) => candidate.name === name);
    }
    if (!shard) throw new Error(`context ${contextId} is assigned to the unknown shard ${name}`);
    return shard;
  }

  /** Makes a shard known, unless it is. Its database must exist; every module creates its tables there when it first needs them. */
  async addShard(shard: Shard, now = Date.now()): Promise<void> {
    // Until every process has renewed its lease, some would look for a context of this shard in the default one.
    await this.query('insert into registry.shard (name, url, usable_from) values ($1, $2, $3) on conflict do nothing', [
      shard.name,
      shard.url,
      now + 2 * this.leaseMs,
    ]);
    await this.refresh();
  }

  /** Forgets a shard where no context lives; false when one does. */
  async removeShard(name: string): Promise<boolean> {
    const { rowCount } = await this.query(
      `delete from registry.shard s where s.name = $1
         and not exists (select from registry.context_shard c where c.shard = s.name or c.moving_to = s.name)`,
      [name],
    );
    await this.refresh();
    return rowCount > 0;
  }

  /** Whether contexts may be assigned to a shard. */
  async isUsable(name: string, now = Date.now()): Promise<boolean> {
    if (name === DEFAULT_SHARD) return true;
    const { rows } = await this.query('select from registry.shard where name = $1 and usable_from <= $2', [name, now]);
    return rows.length > 0;
  }

  /**
   * Assigns a new context to a shard. Must happen before anything of the context is written, by the holder of its number.
   * False when the shard is not usable yet.
   */
  async assign(contextId: number, shard: string, now = Date.now()): Promise<boolean> {
    if (shard === DEFAULT_SHARD && this.known.length === 1) return true;
    if (!(await this.isUsable(shard, now))) return false;
    await this.query(
      `insert into registry.context_shard (context_id, shard) values ($1, $2)
       on conflict (context_id) do update set shard = excluded.shard`,
      [contextId, shard],
    );
    this.assignments.delete(contextId);
    return true;
  }

  /** Notes contexts that live in the default shard, so that asking for them is remembered. */
  async assignHome(contextIds: readonly number[]): Promise<void> {
    await this.query(
      `insert into registry.context_shard (context_id, shard) select unnest($1::int[]), $2 on conflict do nothing`,
      [contextIds, DEFAULT_SHARD],
    );
  }

  /**
   * Begins to move a context: from now on no caller finds it; those who knew where it is may work there until their lease ends.
   * Repeatable. Answers where it lives.
   */
  async beginMove(contextId: number, to: string): Promise<Shard> {
    const { rows } = await this.query<{ shard: string }>(
      `insert into registry.context_shard as c (context_id, shard, moving_to) values ($1, $3, $2)
       on conflict (context_id) do update set moving_to = $2 returning c.shard`,
      [contextId, to, DEFAULT_SHARD],
    );
    this.assignments.delete(contextId);
    return this.shardNamed(rows[0]!.shard);
  }

  /** Ends a move: the context lives where it went, or stays where it was. False when there was none. */
  async endMove(contextId: number, arrived: boolean): Promise<boolean> {
    const { rowCount } = await this.query(
      `update registry.context_shard set shard = case when $2 then moving_to else shard end, moving_to = null
       where context_id = $1 and moving_to is not null`,
      [contextId, arrived],
    );
    this.assignments.delete(contextId);
    return rowCount > 0;
  }

  /** A shard by name; fails when there is none. */
  async shardNamed(name: string): Promise<Shard> {
    const shard = (await this.shards()).find((candidate) => candidate.name === name);
    if (!shard) throw new Error(`there is no shard ${name}`);
    return shard;
  }

  /** Closes its connections. */
  async close(): Promise<void> {
    await this.pool.end();
  }

  private async nameOf(contextId: number): Promise<string> {
    const cached = this.assignments.get(contextId);
    const asked = Date.now();
    if (cached && cached.until > asked) return cached.shard;
    const { rows } = await this.query<{ shard: string; moving: boolean }>(
      'select shard, moving_to is not null as moving from registry.context_shard where context_id = $1',
      [contextId],
    );
    // Not kept when unknown: the context may be about to be made.
    if (!rows[0]) return this.home.name;
    if (rows[0].moving) throw ContextErrors.moving();
    if (this.assignments.size >= this.maxCached) this.assignments.clear();
    this.assignments.set(contextId, { shard: rows[0].shard, until: asked + this.leaseMs });
    return rows[0].shard;
  }

  /** Something to wait for, when the list of shards is too old to be used. */
  private lease(): Promise<void> | undefined {
    const age = Date.now() - this.readAt;
    if (age < this.leaseMs / 2) return undefined;
    const reading = this.refresh();
    if (age >= this.leaseMs) return reading;
    reading.catch(() => undefined);
    return undefined;
  }

  private refresh(): Promise<void> {
    this.reading ??= (async () => {
      const started = Date.now();
      const { rows } = await this.query<Shard>(LIST_SHARDS, []);
      this.known = [this.home, ...withAddresses(rows, this.addresses)];
      this.readAt = started;
    })().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async query<T extends object>(sql: string, params: unknown[]): Promise<{ rows: T[]; rowCount: number }> {
    try {
      const { rows, rowCount } = await this.pool.query<T>(sql, params);
      return { rows, rowCount: rowCount ?? 0 };
    } catch (error) {
      throw asFailure(error, 'registry');
    }
  }
}
