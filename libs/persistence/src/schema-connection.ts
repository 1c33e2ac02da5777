import { DataSource } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { ConnectionWatch, NamedClient } from './connection-watch';
import type { DatabaseSettings } from './database-settings';
import { silentLogger } from './silent-logger';
import { completeSettings, quoted } from './database-settings';
import { asFailure, isConnectionFailure, isStalePlan } from './failures';
import { SharedReads } from './shared-reads';
import { traceStatement } from './trace-statement';
import type { TransactOptions } from './transact-options';
import { TransactionLine, type Lender } from './transaction-line';
import { valueTypes } from './value-types';
import type { ResultMode, StatementResult } from './wire-statement';

/**
 * How statements are planned. Without JIT: compiling costs more than any of our short statements. Once for each connection:
 * planning a view of a calendar takes three times as long as answering it, and Postgres would do so at every call. Never
 * by reading a whole table: a plan that was made while the table was empty is kept for a while.
 */
const PLANNING = '-c jit=off -c plan_cache_mode=force_generic_plan -c enable_seqscan=off';

/** A connection on which nothing happens is probed by TCP after so long, ms. */
export const KEEP_ALIVE_MS = 5_000;

/** Statements that begin a transaction. */
export const beginWriting = ({ isolation, durable, idleTimeoutMs }: TransactOptions = {}): readonly string[] => [
  `begin${isolation ? ` isolation level ${isolation}` : ''}`,
  ...(durable === false ? ['set local synchronous_commit = off'] : []),
  ...(idleTimeoutMs === undefined ? [] : [`set local idle_in_transaction_session_timeout = ${Number(idleTimeoutMs)}`]),
];

/** Statements that begin a snapshot, which locks nothing: whoever reads it may take their time. */
export const BEGIN_SNAPSHOT: readonly string[] = [
  'begin isolation level repeatable read read only',
  'set local idle_in_transaction_session_timeout = 60000',
];

/** Connections to one schema on one shard: a TypeORM data source whose pool is used for SQL. */
export class SchemaConnection implements Lender {
  private constructor(
    private readonly source: DataSource,
    private readonly pool: Pool,
    /** The way to the connections of the pool. */
    readonly connections: ConnectionWatch,
    private readonly reads: SharedReads,
    readonly module: string,
  ) {}

  /** Connects; fails when the server cannot be reached. */
  static async open(
    settings: DatabaseSettings,
    module: string,
    schema: string,
    onProblem: (what: string, error: unknown) => void,
  ): Promise<SchemaConnection> {
    const complete = completeSettings(settings);
    const source = new DataSource({
      type: 'postgres',
      url: complete.url,
      schema,
      poolSize: complete.poolSize,
      connectTimeoutMS: complete.connectTimeoutMs,
      applicationName: `${complete.applicationName} ${module}`,
      installExtensions: false,
      logger: silentLogger,
      poolErrorHandler: (error: unknown) => onProblem('an idle database connection broke', error),
      extra: {
        Client: NamedClient,
        types: valueTypes,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        idleTimeoutMillis: complete.idleConnectionMs,
        statement_timeout: complete.statementTimeoutMs,
        lock_timeout: complete.lockTimeoutMs,
        idle_in_transaction_session_timeout: complete.idleTransactionTimeoutMs,
        options: `-c search_path=${quoted(schema)},public ${PLANNING}`,
        // Connections must not keep a process alive that has nothing else to do.
        allowExitOnIdle: true,
      },
    });
    try {
      await source.initialize();
    } catch (error) {
      throw asFailure(error, module);
    }
    // TypeORM keeps its pg pool under this name; it offers no public access.
    const pool = (source.driver as unknown as { master: Pool }).master;
    // A connection that breaks while it is checked out emits an error; unheard, it would end the process. Not when it is
    // made: the first ones are older than this line.
    const heard = new WeakSet<PoolClient>();
    pool.on('acquire', (client) => {
      if (!heard.has(client)) client.on('error', () => undefined);
      heard.add(client);
    });
    const connections = new ConnectionWatch(
      pool,
      { silenceMs: complete.silenceMs, giveUpMs: complete.statementTimeoutMs + complete.silenceMs },
      onProblem,
    );
    return new SchemaConnection(source, pool, connections, new SharedReads(connections, complete), module);
  }

  /** One statement on any connection, outside of a transaction; tried again on a fresh connection when the first was dead. */
  async query(mode: ResultMode, sql: string, params: readonly unknown[]): Promise<StatementResult> {
    return traceStatement(this.module, sql, () => this.read(mode, sql, params));
  }

  private async read(mode: ResultMode, sql: string, params: readonly unknown[]): Promise<StatementResult> {
    const statement = { mode, text: sql, values: params };
    try {
      return await this.reads.read(statement).catch((error: unknown) => {
        if (!isStaleConnection(error)) throw error;
        return this.reads.read(statement);
      });
    } catch (error) {
      throw asFailure(error, this.module);
    }
  }

  /** Runs `work`, which must commit, with a transaction that it opens when it first sends something. */
  async lend<T>(begin: readonly string[], work: (line: TransactionLine) => Promise<T>): Promise<T> {
    const line = new TransactionLine(this, begin);
    try {
      return await work(line);
    } catch (error) {
      await line.abandon(error);
      throw error;
    } finally {
      line.release();
    }
  }

  /** A connection for somebody who gives it back. */
  async acquire(): Promise<PoolClient> {
    return this.connections.connect().catch((error: unknown) => {
      throw asFailure(error, this.module);
    });
  }

  /** Connections in use, idle, and callers that wait for one. */
  get load(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }

  /** Waits for running statements and closes. */
  async close(): Promise<void> {
    this.connections.close();
    if (this.source.isInitialized) await this.source.destroy();
  }
}

// "timeout exceeded when trying to connect" and refusals would only fail again.
const isStaleConnection = (error: unknown): boolean =>
  isStalePlan(error) ||
  (isConnectionFailure(error) &&
    /terminated|not queryable|57P0[12]|ECONNRESET|EPIPE/.test(
      `${(error as { code?: string }).code} ${(error as Error).message}`,
    ));
