import { Pool } from 'pg';
import { asFailure } from './failures';
import { migrate } from './migrate';
import type { Migration, MigrationRunner } from './migration';

/** A database that holds the data of some contexts: what the administrative API calls a schema. */
export interface Shard {
  readonly name: string;
  readonly url: string;
}

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

/** Settings of the registry. */
export interface ShardRegistrySettings {
  /** URL of the default shard, which also holds the registry. */
  readonly url: string;
  /** How long this process may work with the shards it knows. A new shard gets contexts only after twice this time. Default 30,000. */
  readonly leaseMs?: number;
  /** Most assignments kept in memory. Default 100,000. */
  readonly maxCached?: number;
}

/** Which context lives in which shard. One per process; safe to share by its modules. */
export class ShardRegistry {
  private known: readonly Shard[];
  private readAt = 0;
  private reading?: Promise<void>;
  private readonly assignments = new Map<number, string>();

  private constructor(
    private readonly pool: Pool,
    private readonly home: Shard,
    private readonly leaseMs: number,
    private readonly maxCached: number,
  ) {
    this.known = [home];
  }

  /** Opens the registry and creates its tables if they are missing. */
  static async open(settings: ShardRegistrySettings): Promise<ShardRegistry> {
    const { url, leaseMs = 30_000, maxCached = 100_000 } = settings;
    await migrate({ url, schema: 'registry', migrations: [CreateShards1000000000001], withoutKit: true }).catch(
      (error: unknown) => {
        throw asFailure(error, 'registry');
      },
    );
    const pool = new Pool({
      connectionString: url,
      max: 2,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 10_000,
      application_name: 'groupware registry',
      allowExitOnIdle: true,
    });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    const registry = new ShardRegistry(pool, { name: DEFAULT_SHARD, url }, leaseMs, maxCached);
    await registry.refresh();
    return registry;
  }

  /** Every shard, the default one first. */
  async shards(): Promise<readonly Shard[]> {
    await this.lease();
    return this.known;
  }

  /** Where a context lives. A context without an assignment lives in the default shard. */
  async shardOf(contextId: number): Promise<Shard> {
    const waiting = this.lease();
    if (waiting) await waiting;
    if (this.known.length === 1) return this.home;
    let name = this.assignments.get(contextId);
    if (name === undefined) {
      const { rows } = await this.query<{ shard: string }>(
        'select shard from registry.context_shard where context_id = $1',
        [contextId],
      );
      // Not kept when unknown: the context may be about to be made.
      if (!rows[0]) return this.home;
      name = rows[0].shard;
      if (this.assignments.size >= this.maxCached) this.assignments.clear();
      this.assignments.set(contextId, name);
    }
    let shard = this.known.find((candidate) => candidate.name === name);
    if (!shard) {
      await this.refresh();
      shard = this.known.find((candidate) => candidate.name === name);
    }
    if (!shard) throw new Error(`context ${contextId} is assigned to the unknown shard ${name}`);
    return shard;
  }

  /** Makes a shard known. Its database must exist; every module creates its tables there when it first needs them. */
  async addShard(shard: Shard, now = Date.now()): Promise<void> {
    // Until every process has renewed its lease, some would look for a context of this shard in the default one.
    await this.query('insert into registry.shard (name, url, usable_from) values ($1, $2, $3)', [
      shard.name,
      shard.url,
      now + 2 * this.leaseMs,
    ]);
    await this.refresh();
  }

  /**
   * Says where a new context lives. Must happen before anything of the context is written. False when the shard is not
   * usable yet or the context already lives elsewhere.
   */
  async assign(contextId: number, shard: string, now = Date.now()): Promise<boolean> {
    if (shard === DEFAULT_SHARD) return true;
    await this.query(
      `insert into registry.context_shard (context_id, shard)
       select $1, name from registry.shard where name = $2 and usable_from <= $3
       on conflict (context_id) do nothing`,
      [contextId, shard, now],
    );
    const { rows } = await this.query<{ shard: string }>(
      'select shard from registry.context_shard where context_id = $1',
      [contextId],
    );
    return rows[0]?.shard === shard;
  }

  /** Forgets a context that was deleted. */
  async forget(contextId: number): Promise<void> {
    this.assignments.delete(contextId);
    await this.query('delete from registry.context_shard where context_id = $1', [contextId]);
  }

  /** Closes its connections. */
  async close(): Promise<void> {
    await this.pool.end();
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
      const { rows } = await this.query<Shard>('select name, url from registry.shard order by name', []);
      this.known = [this.home, ...rows];
      this.readAt = started;
    })().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async query<T extends object>(sql: string, params: unknown[]): Promise<{ rows: T[] }> {
    try {
      return await this.pool.query<T>(sql, params);
    } catch (error) {
      throw asFailure(error, 'registry');
    }
  }
}
