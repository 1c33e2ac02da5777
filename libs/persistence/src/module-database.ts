import { RequestErrors, type Tenant } from '@groupware/contracts';
import { TenantStatements, TenantTransaction, TransactionEnd, UnboundTransaction } from './bound-statements';
import { completeSettings, schemaOf, type DatabaseSettings } from './database-settings';
import { isLostRace, isStalePlan } from './failures';
import type { MigrationClass } from './migration';
import type { AdministrationTransaction, Reader, Transaction } from './reader';
import { BEGIN_SNAPSHOT, beginWriting, SchemaConnection } from './schema-connection';
import { prepareSchema, type MigrationSettings } from './schema-preparation';
import type { Shard, ShardRegistry } from './shard-registry';
import type { ReadOptions, TransactOptions } from './transact-options';

/** What a module database is made of. */
export interface ModuleDatabaseOptions {
  /** Name of the service; its schema bears the same name with `-` as `_`. */
  readonly module: string;
  readonly registry: ShardRegistry;
  readonly settings: DatabaseSettings;
  readonly migrations: readonly MigrationClass[];
  /** True for data that all contexts share: it stays on the default shard, whatever shard a context lives in. */
  readonly onDefaultShard?: boolean;
  /** Who brings the schemas forward. */
  readonly migration?: MigrationSettings;
  /** Told about what goes wrong beside any call, such as a broken idle connection or a failing effect after a commit. */
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** The only way of module code to its rows: one schema of one module, on every shard. */
export class ModuleDatabase {
  private readonly connections = new Map<string, Promise<SchemaConnection>>();
  private readonly commitListeners = new Set<() => void>();
  private readonly schema: string;
  private readonly attempts: number;
  private closed = false;

  private constructor(private readonly options: ModuleDatabaseOptions) {
    this.schema = schemaOf(options.module);
    this.attempts = completeSettings(options.settings).transactionAttempts;
  }

  /** Connects to every shard and prepares the module's schema there. */
  static async open(options: ModuleDatabaseOptions): Promise<ModuleDatabase> {
    const database = new ModuleDatabase(options);
    try {
      for (const shard of await database.shards()) await database.connection(shard);
    } catch (error) {
      await database.close();
      throw error;
    }
    return database;
  }

  /** Name of the module that owns the data. */
  get module(): string {
    return this.options.module;
  }

  /** Reads data of one tenant. The reader is dead once `work` ended. */
  async read<T>(tenant: Tenant, work: (db: Reader) => Promise<T>, options: ReadOptions = {}): Promise<T> {
    const connection = await this.connectionOf(tenant);
    if (options.snapshot)
      return connection.lend(BEGIN_SNAPSHOT, async (line) => {
        const reader = new TenantStatements((mode, sql, params) => line.send(mode, sql, params), tenant.contextId);
        const result = await work(reader).finally(() => reader.end());
        await line.commit();
        return result;
      });
    // Each statement takes a connection of its own: a read that waits for something else in between holds none.
    const reader = new TenantStatements((mode, sql, params) => connection.query(mode, sql, params), tenant.contextId);
    return work(reader).finally(() => reader.end());
  }

  /** Runs `work` in a transaction on the tenant's data; repeats it after a deadlock or a serialization failure. */
  async transact<T>(tenant: Tenant, work: (tx: Transaction) => Promise<T>, options: TransactOptions = {}): Promise<T> {
    const connection = await this.connectionOf(tenant);
    return this.run(connection, beginWriting(options), async (end) => {
      const tx = new TenantTransaction(end, tenant.contextId);
      return work(tx).finally(() => tx.end());
    });
  }

  /** A transaction without tenant on the default shard, for administration only. */
  async acrossContexts<T>(work: (db: AdministrationTransaction) => Promise<T>): Promise<T> {
    const [home] = await this.options.registry.shards();
    return this.unbound(home!, work);
  }

  /** The same on every shard, one after the other; the default shard's result is the first. */
  async acrossShards<T>(work: (db: AdministrationTransaction) => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    for (const shard of await this.shards()) results.push(await this.unbound(shard, work));
    return results;
  }

  /** Name of the shard a context lives in. */
  async shardNameOf({ contextId }: Tenant): Promise<string> {
    return (await this.options.registry.shardOf(contextId)).name;
  }

  /** Names of the shards, the default one first. */
  async shardNames(): Promise<string[]> {
    return (await this.shards()).map((shard) => shard.name);
  }

  /** A transaction without tenant on one shard. */
  async onShard<T>(
    name: string,
    work: (db: AdministrationTransaction) => Promise<T>,
    options: TransactOptions = {},
  ): Promise<T> {
    const shard = (await this.shards()).find((candidate) => candidate.name === name);
    if (!shard) throw new Error(`there is no shard ${name}`);
    return this.unbound(shard, work, options);
  }

  /** Calls back after each commit that stored events. Returns the way to stop that. */
  onEventsStored(listener: () => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  /**
   * Asks every shard: for health checks.
   * @returns names of the shards that did not answer in time
   * @throws the failure when none did
   */
  async ping(timeoutMs: number): Promise<readonly string[]> {
    const shards = await this.shards();
    const ask = async (shard: Shard) => (await this.connection(shard)).query('rows', 'select 1', []);
    const results = await Promise.allSettled(shards.map((shard) => within(ask(shard), timeoutMs)));
    const failures = results.flatMap((result, index) =>
      result.status === 'rejected' ? [{ name: shards[index]!.name, reason: result.reason as unknown }] : [],
    );
    if (failures.length === shards.length && failures[0]) throw failures[0].reason;
    return failures.map(({ name }) => name);
  }

  /** Connections of this process by shard: open, idle, and callers that wait. */
  async load(): Promise<Readonly<Record<string, SchemaConnection['load']>>> {
    const entries = [...this.connections].map(async ([name, connection]) => [name, (await connection).load] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  /** Waits for running statements and closes all connections. */
  async close(): Promise<void> {
    this.closed = true;
    const open = [...this.connections.values()];
    this.connections.clear();
    await Promise.all(open.map((connection) => connection.then((opened) => opened.close()).catch(() => undefined)));
  }

  private unbound<T>(
    shard: Shard,
    work: (db: AdministrationTransaction) => Promise<T>,
    options: TransactOptions = {},
  ): Promise<T> {
    return this.connection(shard).then((connection) =>
      this.run(connection, beginWriting(options), async (end) => {
        const tx = new UnboundTransaction(end);
        return work(tx).finally(() => tx.end());
      }),
    );
  }

  private async run<T>(
    connection: SchemaConnection,
    begin: readonly string[],
    work: (end: TransactionEnd) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let end!: TransactionEnd;
      try {
        const result = await connection.lend(begin, async (line) => {
          end = new TransactionEnd(line);
          const value = await work(end);
          await end.commit(Date.now());
          return value;
        });
        this.afterCommit(end);
        return result;
      } catch (error) {
        if (!isLostRace(error) && !isStalePlan(error)) throw error;
        if (attempt >= this.attempts) throw RequestErrors.serviceUnavailable(this.module).with({ cause: error });
        // Random, so that two transactions that met once do not meet again.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
      }
    }
  }

  private afterCommit(end: TransactionEnd): void {
    if (end.events.length > 0) for (const listener of this.commitListeners) listener();
    for (const effect of end.effects)
      try {
        effect();
      } catch (error) {
        this.problem('an effect after a commit failed', error);
      }
  }

  private async connectionOf(tenant: Tenant): Promise<SchemaConnection> {
    const { contextId } = tenant;
    // A missing or foreign kind of context id must never become "all of them" or "none in particular".
    if (!Number.isInteger(contextId) || contextId < 1 || contextId > 0x7fffffff)
      throw new Error(`${String(contextId)} is no context id`);
    const shards = this.options.onDefaultShard ? await this.shards() : undefined;
    return this.connection(shards?.[0] ?? (await this.options.registry.shardOf(contextId)));
  }

  private async shards(): Promise<readonly Shard[]> {
    const all = await this.options.registry.shards();
    return this.options.onDefaultShard ? all.slice(0, 1) : all;
  }

  private connection(shard: Shard): Promise<SchemaConnection> {
    const known = this.connections.get(shard.name);
    if (known) return known;
    if (this.closed) throw RequestErrors.serviceUnavailable(this.module);
    const opening = this.openShard(shard);
    this.connections.set(shard.name, opening);
    // A shard that was unreachable is tried again by the next call.
    opening.catch(() => {
      if (this.connections.get(shard.name) === opening) this.connections.delete(shard.name);
    });
    return opening;
  }

  private async openShard(shard: Shard): Promise<SchemaConnection> {
    const { migrations, migration } = this.options;
    await prepareSchema(shard, { schema: this.schema, migrations }, migration);
    return SchemaConnection.open(
      { ...this.options.settings, url: shard.url },
      this.module,
      this.schema,
      (what, error) => this.problem(what, error),
    );
  }

  private problem(what: string, error: unknown): void {
    this.options.onProblem?.(what, error);
  }
}

/** Rejects when work takes longer than a time, ms. */
async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
