import type { Pool, PoolClient } from 'pg';
import { completeSettings, type DatabaseSettings } from '../database-settings';
import { asFailure, isConnectTimeout, isLostRace, isStaleConnection } from '../failures';
import type { TransactOptions } from '../transact-options';
import { ConnectionWatch, type ResultCallback } from './connection-watch';
import { MAX_TRIES, PipelinedTransaction, type ConnectionSource } from './pipelined-transaction';
import { openPool } from './pool';
import { ReadQueue } from './read-queue';
import { queryOf, type ResultMode, type Statement, type StatementResult } from './statement';
import { traceStatement } from './trace-statement';

/** Begins a transaction that writes, which the connections do not without it. */
export const beginWriting = ({ isolation, durable, idleTimeoutMs, plans }: TransactOptions = {}): string =>
  [
    `begin read write${isolation ? ` isolation level ${isolation}` : ''}`,
    ...(durable === false ? ['set local synchronous_commit = off'] : []),
    ...(idleTimeoutMs === undefined
      ? []
      : [`set local idle_in_transaction_session_timeout = ${Number(idleTimeoutMs)}`]),
    ...settingsOf(plans),
  ].join('; ');

const settingsOf = (plans: TransactOptions['plans']): readonly string[] =>
  plans === 'generic' ? ['set local plan_cache_mode = force_generic_plan', 'set local enable_seqscan = off'] : [];

/** Begins a snapshot, which locks nothing, so that its readers may take their time. */
const beginSnapshot = (plans: TransactOptions['plans']): string =>
  [
    'begin isolation level repeatable read read only',
    'set local idle_in_transaction_session_timeout = 60000',
    ...settingsOf(plans),
  ].join('; ');

/** Times that the first connection is tried: a process that loads its code may look at its sockets too late for the time limit. */
const FIRST_TRIES = 5;

/** Load of a pool of connections. */
export interface PoolLoad {
  readonly open: number;
  readonly idle: number;
  /** Callers without one. */
  readonly waiting: number;
  /** Connections handed out since the start. */
  readonly acquired: number;
}

/** Connections to one schema on one shard. */
export class SchemaConnection implements ConnectionSource {
  private acquired = 0;
  private readonly reads: ReadQueue;

  private constructor(
    private readonly pool: Pool,
    private readonly localSettings: (client: PoolClient) => string,
    readonly connections: ConnectionWatch,
    readonly keepsPrepared: boolean,
    private readonly isPooled: boolean,
    readConnections: number,
    readonly module: string,
  ) {
    this.reads = new ReadQueue(
      {
        connect: () => connections.connect(),
        send: (client, statement, callback) => this.sendRead(client, statement, callback),
      },
      readConnections,
    );
    pool.on('acquire', () => (this.acquired += 1));
  }

  /** Connects, also while the process is too busy with its start to look at its sockets; fails when the server cannot be reached. */
  static async open(
    settings: DatabaseSettings,
    module: string,
    schema: string,
    onProblem: (what: string, error: unknown) => void,
  ): Promise<SchemaConnection> {
    const complete = completeSettings(settings);
    const { pool, localSettings } = openPool(complete, module, schema, onProblem);
    const { silenceMs, statementTimeoutMs, pooler } = complete;
    const watch = new ConnectionWatch(pool, { silenceMs, giveUpMs: statementTimeoutMs + silenceMs }, onProblem);
    const connection = new SchemaConnection(
      pool,
      localSettings,
      watch,
      pooler !== 'transaction',
      pooler !== 'none',
      complete.readConnections,
      module,
    );
    await connection.connectFirst();
    return connection;
  }

  private async connectFirst(): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        return (await this.connections.connect()).release();
      } catch (error) {
        if (tries < FIRST_TRIES && isConnectTimeout(error)) continue;
        await this.pool.end();
        throw asFailure(error, this.module);
      }
  }

  /** One statement on any connection, outside of a transaction; tried again when the first was dead, or lost a deadlock against a migration. */
  async query(mode: ResultMode, sql: string, params: readonly unknown[]): Promise<StatementResult> {
    return traceStatement(this.module, sql, () => this.read({ mode, text: sql, values: params }));
  }

  /** Runs `work`, which must commit, with a transaction that it begins when it first sends something. */
  async withTransaction<T>(begin: string, work: (transaction: PipelinedTransaction) => Promise<T>): Promise<T> {
    const transaction = new PipelinedTransaction(this, (client) => begin + this.localSettings(client));
    try {
      return await work(transaction);
    } catch (error) {
      await transaction.rollback(error);
      throw error;
    } finally {
      transaction.release();
    }
  }

  /** Runs `work`, which only reads, in a snapshot. Its result does not wait for the end of the transaction, which keeps nothing. */
  async withSnapshot<T>(
    work: (transaction: PipelinedTransaction) => Promise<T>,
    plans?: TransactOptions['plans'],
  ): Promise<T> {
    const begin = beginSnapshot(plans);
    const transaction = new PipelinedTransaction(this, (client) => begin + this.localSettings(client));
    const end = (ending: Promise<void>) => ending.finally(() => transaction.release());
    try {
      const result = await work(transaction);
      void end(transaction.commit().catch((error: unknown) => transaction.rollback(error)));
      return result;
    } catch (error) {
      await end(transaction.rollback(error));
      throw error;
    }
  }

  /** Acquires a connection, which the caller releases. */
  async acquire(): Promise<PoolClient> {
    return this.connections.connect().catch((error: unknown) => {
      throw asFailure(error, this.module);
    });
  }

  /** Load of its connections. */
  get load(): PoolLoad {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.pool;
    return { open, idle, waiting, acquired: this.acquired };
  }

  /** Waits for running statements and closes. */
  async close(): Promise<void> {
    this.connections.close();
    await this.pool.end();
  }

  private async read(statement: Statement): Promise<StatementResult> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.reads.run(statement);
      } catch (error) {
        const mayGoNow = isStaleConnection(error) || isLostRace(error);
        if (attempt === MAX_TRIES || !mayGoNow) throw asFailure(error, this.module);
      }
  }

  /** Behind a pooler the statement has a transaction of its own with the settings that it needs, in the same message. */
  private sendRead(client: PoolClient, statement: Statement, callback: ResultCallback): void {
    const query = queryOf(statement, this.keepsPrepared);
    if (!this.isPooled) return this.connections.query(client, query, callback);
    let failure: Error | null = null;
    let answer: StatementResult;
    const { stream } = client.connection;
    stream.cork();
    this.connections.query(client, { text: `begin${this.localSettings(client)}` }, (error) => (failure = error));
    this.connections.query(client, query, (error, result) => {
      failure ??= error;
      answer = result;
    });
    this.connections.query(client, { text: 'commit' }, (error) => callback(failure ?? error, answer));
    stream.uncork();
  }
}
