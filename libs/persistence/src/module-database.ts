import { AsyncResource } from 'node:async_hooks';
import { RequestErrors, type AccessRecord, type Tenant } from '@groupware/contracts';
import { TenantStatements, TenantTransaction, TransactionEnd, UnboundTransaction } from './bound-statements';
import { assertKeepable, CallNotes, isNotedAlready, REPLY_STEP, type CallNote, type TransactionKey } from './call-key';
import { beginWriting, SchemaConnection, type PoolLoad } from './connections/schema-connection';
import { completeSettings, schemaOf, type DatabaseSettings } from './database-settings';
import { isConnectionFailure, isLostRace, isStalePlan } from './failures';
import type { MigrationClass } from './migration';
import type { AdministrationTransaction, Reader, Transaction } from './reader';
import { inspectionOf, type InspectStatement } from './statement-inspector';
import { prepareSchema, type MigrationSettings } from './schema-preparation';
import type { Shard } from './shard';
import type { ShardRegistry } from './shard-registry';
import type { ReadOptions, TransactOptions } from './transact-options';
import { guardTransaction } from './transaction-scope';
import { within } from './within';

/** Stands for the context in notes about what belongs to none. */
const NO_CONTEXT = 0;
/** Pause before it is looked again what became of a commit, ms. */
const LOOK_AGAIN_MS = 250;

/** The connection broke during the commit, which did not take place. */
class NotCommitted extends Error {
  constructor(override readonly cause: unknown) {
    super('the transaction was not committed');
  }
}

/** Options of a module database. */
export interface ModuleDatabaseOptions {
  /** Name of the service; its schema bears the same name with `-` as `_`. */
  readonly module: string;
  readonly registry: ShardRegistry;
  readonly settings: DatabaseSettings;
  readonly migrations: readonly MigrationClass[];
  /** True for data that all contexts share: it stays on the default shard, whatever shard a context lives in. */
  readonly onDefaultShard?: boolean;
  /** Settings for bringing the schemas forward. */
  readonly migration?: MigrationSettings;
  /** Key of the call under way, if it has one: its transactions happen once, however often the call is sent. */
  readonly callKey?: () => TransactionKey | undefined;
  /** Record of the rights that were checked for the call under way: a transaction of a context commits no unchecked write. */
  readonly access?: () => AccessRecord | undefined;
  /** Refuses what transactions of such calls return and cannot be kept, and requests to other servers inside, in tests. */
  readonly inspect?: boolean;
  /** Told about what goes wrong beside any call, such as a broken idle connection or a failing effect after a commit. */
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** A connection with what judges its statements in tests. */
interface Opened {
  readonly connection: SchemaConnection;
  readonly inspect: InspectStatement;
}

/** The only way of module code to its rows: one schema of one module, on every shard. */
export class ModuleDatabase {
  private readonly connections = new Map<string, Promise<Opened>>();
  /** Those of them that are open. */
  private readonly opened = new Map<string, SchemaConnection>();
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
    const { connection, inspect } = await this.connectionOf(tenant);
    const { contextId } = tenant;
    if (options.snapshot)
      return connection.withSnapshot((pipeline) => {
        const reader = new TenantStatements(
          (mode, sql, params) => pipeline.send(mode, sql, params),
          contextId,
          inspect,
        );
        return work(reader).finally(() => reader.end());
      }, options.plans);
    // Each statement takes a connection of its own: a read that waits for something else in between holds none.
    const reader = new TenantStatements((mode, sql, params) => connection.query(mode, sql, params), contextId, inspect);
    return work(reader).finally(() => reader.end());
  }

  /** Runs `work` in a transaction on the tenant's data; repeats it after a deadlock or a serialization failure. */
  async transact<T>(tenant: Tenant, work: (tx: Transaction) => Promise<T>, options: TransactOptions = {}): Promise<T> {
    const { connection, inspect } = await this.connectionOf(tenant);
    return this.runOnce(connection, tenant.contextId, beginWriting(options), async (end) => {
      const tx = new TenantTransaction(end, tenant.contextId, inspect);
      const result = await this.guard(options, () => work(tx)).finally(() => tx.end());
      this.options.access?.()?.requireWriteChecks();
      return result;
    });
  }

  /**
   * Decides once for the call under way, however often it is sent, what is to be done where no transaction reaches. A repetition
   * gets the decision of the first time, and does what of it is not done yet.
   */
  async decide<T>(tenant: Tenant, plan: () => T): Promise<T> {
    const { connection } = await this.connectionOf(tenant);
    return this.runOnce(connection, tenant.contextId, beginWriting(), async (end) => {
      end.isDecision = true;
      const decision = plan();
      this.options.access?.()?.requireWriteChecks();
      return decision;
    });
  }

  /** Finds the reply to the call under way when it was done before. @throws SVL-0036 when that was a different call */
  async findReply(tenant: Tenant | undefined, key: TransactionKey): Promise<CallNote | undefined> {
    return (await this.notesOf(tenant, key)).findNote(REPLY_STEP);
  }

  /** Whether a transaction of the call under way was committed before. */
  async isDone(tenant: Tenant | undefined, key: TransactionKey): Promise<boolean> {
    return (await this.notesOf(tenant, key)).hasSteps();
  }

  /** Keeps the answer to the call under way. */
  async keepReply(tenant: Tenant | undefined, key: TransactionKey, reply: unknown): Promise<void> {
    await (await this.notesOf(tenant, key)).insertNote(REPLY_STEP, reply);
  }

  /** A transaction without tenant on the default shard, for administration only. The reason is listed (docs/generated). */
  async acrossContexts<T>(_reason: string, work: (db: AdministrationTransaction) => Promise<T>): Promise<T> {
    const [home] = await this.options.registry.shards();
    return this.unbound(home!, work);
  }

  /** The same on every shard, one after the other; the default shard's result is the first. */
  async acrossShards<T>(_reason: string, work: (db: AdministrationTransaction) => Promise<T>): Promise<T[]> {
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
    _reason: string,
    work: (db: AdministrationTransaction) => Promise<T>,
    options: TransactOptions = {},
  ): Promise<T> {
    return this.unbound(await this.shardNamed(name), work, options);
  }

  /** Calls back after each commit that stored events. Returns the way to stop that. */
  onEventsStored(listener: () => void): () => void {
    // A listener is no part of the call whose transaction it hears of.
    const detached = AsyncResource.bind(listener);
    this.commitListeners.add(detached);
    return () => this.commitListeners.delete(detached);
  }

  /** Whether events wait on one shard: the clock asks that all the time, so it costs one statement and no transaction. */
  async hasStoredEvents(shardName: string): Promise<boolean> {
    const { connection } = await this.connection(await this.shardNamed(shardName));
    const { rows } = await connection.query('rows', 'select exists (select from outbox)', []);
    const [[waits]] = rows as [[boolean]];
    return waits;
  }

  /**
   * Asks every shard: for health checks.
   * @returns names of the shards that did not answer in time
   * @throws the failure when none did
   */
  async ping(timeoutMs: number): Promise<readonly string[]> {
    const shards = await this.shards();
    const ask = async (shard: Shard) => (await this.connection(shard)).connection.query('rows', 'select 1', []);
    const results = await Promise.allSettled(shards.map((shard) => within(ask(shard), timeoutMs)));
    const failures = results.flatMap((result, index) =>
      result.status === 'rejected' ? [{ name: shards[index]!.name, reason: result.reason as unknown }] : [],
    );
    if (failures.length === shards.length && failures[0]) throw failures[0].reason;
    return failures.map(({ name }) => name);
  }

  /** Load of the connections of this process by shard. */
  get load(): Readonly<Record<string, PoolLoad>> {
    return Object.fromEntries([...this.opened].map(([name, connection]) => [name, connection.load]));
  }

  /** Waits for running statements and closes all connections. */
  async close(): Promise<void> {
    this.closed = true;
    const open = [...this.connections.values()];
    this.connections.clear();
    await Promise.all(
      open.map((connection) => connection.then((opened) => opened.connection.close()).catch(() => undefined)),
    );
  }

  /** Has requests to other servers refused inside, unless the transaction says that it waits for one. */
  private guard<T>({ idleTimeoutMs }: TransactOptions, work: () => Promise<T>): Promise<T> {
    return this.options.inspect && idleTimeoutMs === undefined ? guardTransaction(work) : work();
  }

  private unbound<T>(
    shard: Shard,
    work: (db: AdministrationTransaction) => Promise<T>,
    options: TransactOptions = {},
  ): Promise<T> {
    return this.connection(shard).then(({ connection, inspect }) =>
      this.runOnce(connection, NO_CONTEXT, beginWriting(options), async (end) => {
        const tx = new UnboundTransaction(end, inspect);
        return this.guard(options, () => work(tx)).finally(() => tx.end());
      }),
    );
  }

  /** Runs a transaction; as part of a call with a key it answers what it answered when that was done before. */
  private async runOnce<T>(
    connection: SchemaConnection,
    contextId: number,
    begin: string,
    work: (end: TransactionEnd) => Promise<T>,
  ): Promise<T> {
    const key = this.options.callKey?.();
    if (!key) return this.run(connection, begin, work);
    const notes = new CallNotes(connection, contextId, key);
    const step = key.takeStep();
    let result: T;
    const working = async (end: TransactionEnd): Promise<T> => {
      result = await work(end);
      if (this.options.inspect) assertKeepable(result, this.module);
      end.note = notes.insertion(step, result);
      return result;
    };
    try {
      const known = key.isRepeat ? await notes.findNote(step) : undefined;
      if (known) return this.repeatResult(known);
      for (let attempt = 1; ; attempt++)
        try {
          return await this.run(connection, begin, working, async () => (await notes.findLostNote(step)) !== undefined);
        } catch (error) {
          // Done meanwhile, by another process that got the same call. It may also be why this one failed.
          const done = isNotedAlready(error) || key.isRepeat ? await notes.findNote(step) : undefined;
          if (done) return this.repeatResult(done);
          if (!(error instanceof NotCommitted)) throw error;
          if (attempt >= this.attempts) throw error.cause;
        }
    } catch (error) {
      key.releaseStep(step);
      throw error;
    }
  }

  /** Answers the result of a transaction that was done before, with the checks that it made then. */
  private repeatResult<T>(note: CallNote): T {
    this.options.access?.()?.addAll();
    return note.value as T;
  }

  /**
   * Runs a transaction.
   * @param isCommitted finds out what became of a commit whose answer was lost
   * @throws SVL-0035 when that is not known, {@link NotCommitted} when it is known and may be tried again
   */
  private async run<T>(
    connection: SchemaConnection,
    begin: string,
    work: (end: TransactionEnd) => Promise<T>,
    isCommitted?: () => Promise<boolean>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let end!: TransactionEnd;
      let result!: T;
      try {
        await connection.withTransaction(begin, async (pipeline) => {
          end = new TransactionEnd(pipeline);
          result = await work(end);
          await end.commit(Date.now());
        });
      } catch (error) {
        if (end?.pipeline.isCommitSent && isConnectionFailure((error as { cause?: unknown }).cause)) {
          const done = await this.resolveCommit(error, isCommitted);
          if (!done) throw new NotCommitted(error);
        } else {
          if (!isLostRace(error) && !isStalePlan(error)) throw error;
          if (attempt >= this.attempts) throw RequestErrors.serviceUnavailable(this.module).with({ cause: error });
          // Random, so that two transactions that met once do not meet again.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
          continue;
        }
      }
      await this.afterCommit(end);
      return result;
    }
  }

  /** Finds out whether a commit whose answer was lost took place. @throws SVL-0035 when that is unknown */
  private async resolveCommit(error: unknown, isCommitted?: () => Promise<boolean>): Promise<boolean> {
    const unknown = RequestErrors.outcomeUnknown(this.module).with({ cause: error });
    if (!isCommitted) throw unknown;
    for (let attempt = 1; ; attempt++)
      try {
        return await isCommitted();
      } catch (failure) {
        // The server is away: a repeated call finds out later.
        if (attempt >= this.attempts) throw unknown.with({ cause: failure });
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      }
  }

  private async afterCommit(end: TransactionEnd): Promise<void> {
    if (end.events.length > 0) for (const listener of this.commitListeners) listener();
    const fail = (error: unknown): void => this.problem('an effect after a commit failed', error);
    for (const effect of end.effects)
      try {
        effect();
      } catch (error) {
        fail(error);
      }
    await Promise.all(end.awaitedEffects.map((effect) => effect().catch(fail)));
  }

  private async notesOf(tenant: Tenant | undefined, key: TransactionKey): Promise<CallNotes> {
    if (tenant) return new CallNotes((await this.connectionOf(tenant)).connection, tenant.contextId, key);
    const [home] = await this.options.registry.shards();
    return new CallNotes((await this.connection(home!)).connection, NO_CONTEXT, key);
  }

  private async connectionOf(tenant: Tenant): Promise<Opened> {
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

  private async shardNamed(name: string): Promise<Shard> {
    const shard = (await this.shards()).find((candidate) => candidate.name === name);
    if (!shard) throw new Error(`there is no shard ${name}`);
    return shard;
  }

  private connection(shard: Shard): Promise<Opened> {
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

  private async openShard(shard: Shard): Promise<Opened> {
    const { migrations, migration } = this.options;
    await prepareSchema(shard, { schema: this.schema, migrations }, migration);
    const settings = { ...this.options.settings, url: shard.url };
    const connection = await SchemaConnection.open(settings, this.module, this.schema, (what, error) =>
      this.problem(what, error),
    );
    this.opened.set(shard.name, connection);
    return { connection, inspect: await inspectionOf(connection) };
  }

  private problem(what: string, error: unknown): void {
    this.options.onProblem?.(what, error);
  }
}
