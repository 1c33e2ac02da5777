import { DataSource } from 'typeorm';
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { DatabaseSettings } from './database-settings';
import { silentLogger } from './silent-logger';
import { completeSettings, quoted } from './database-settings';
import { asFailure, isConnectionFailure, isStalePlan } from './failures';
import { StatementNames } from './statement-names';
import { unparsed, valueTypes } from './value-types';

/** How the values of a result are delivered. */
export type ResultMode = 'rows' | 'objects' | 'text';

/** Anything that takes statements: the pool (each statement on a connection of its own) or one client. */
interface Target {
  query(statement: QueryConfig & { rowMode?: 'array' }): Promise<QueryResult>;
}

const names = new StatementNames();

/**
 * How statements outside of transactions are planned. Without JIT: compiling costs more than any of our short statements.
 * Once for each connection: planning a view of a calendar takes three times as long as answering it, and Postgres would do
 * so at every call. Never by reading a whole table: a plan that was made while the table was empty is kept for a while.
 */
const READING = '-c jit=off -c plan_cache_mode=force_generic_plan -c enable_seqscan=off';
/** Begins a transaction that writes. It may fill tables faster than plans follow, so there Postgres decides about plans. */
export const beginWriting = (isolation?: string): string =>
  `begin${isolation ? ` isolation level ${isolation}` : ''}; set local plan_cache_mode = auto; set local enable_seqscan = on`;

/** Sends one statement. */
export async function send(
  target: Target,
  mode: ResultMode,
  sql: string,
  params: readonly unknown[],
): Promise<QueryResult> {
  return target.query({
    name: names.nameOf(sql),
    text: sql,
    values: params as unknown[],
    ...(mode === 'objects' ? {} : { rowMode: 'array' }),
    ...(mode === 'text' ? { types: unparsed } : {}),
  });
}

/** Connections to one schema on one shard: a TypeORM data source whose pool is used for SQL. */
export class SchemaConnection {
  private constructor(
    private readonly source: DataSource,
    private readonly pool: Pool,
    private readonly module: string,
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
        types: valueTypes,
        idleTimeoutMillis: complete.idleConnectionMs,
        statement_timeout: complete.statementTimeoutMs,
        lock_timeout: complete.lockTimeoutMs,
        idle_in_transaction_session_timeout: complete.idleTransactionTimeoutMs,
        options: `-c search_path=${quoted(schema)},public ${READING}`,
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
    return new SchemaConnection(source, pool, module);
  }

  /** One statement on any connection, outside of a transaction; tried again on a fresh connection when the first was dead. */
  async query(mode: ResultMode, sql: string, params: readonly unknown[]): Promise<QueryResult> {
    try {
      return await send(this.pool, mode, sql, params).catch((error: unknown) => {
        if (!isStaleConnection(error)) throw error;
        return send(this.pool, mode, sql, params);
      });
    } catch (error) {
      throw asFailure(error, this.module);
    }
  }

  /** Lends a connection with an open transaction to `work`, which must end it; a connection that failed is thrown away. */
  async lend<T>(begin: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.begin(begin);
    let broken: unknown;
    try {
      return await work(client);
    } catch (error) {
      broken = isConnectionFailure(error) || isStalePlan(error) ? error : undefined;
      if (!broken) await client.query('rollback').catch((failure: unknown) => (broken = failure));
      throw error;
    } finally {
      client.release(broken instanceof Error ? broken : broken !== undefined);
    }
  }

  /** Connections in use, idle, and callers that wait for one. */
  get load(): { readonly open: number; readonly idle: number; readonly waiting: number } {
    return { open: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }

  /** Waits for running statements and closes. */
  async close(): Promise<void> {
    if (this.source.isInitialized) await this.source.destroy();
  }

  private async begin(statement: string): Promise<PoolClient> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.pool.connect().catch((error: unknown) => {
        throw asFailure(error, this.module);
      });
      try {
        await client.query(statement);
        return client;
      } catch (error) {
        client.release(true);
        // Nothing was done yet, so a connection that died in the pool may be replaced without anybody noticing.
        if (attempt > 3 || !isConnectionFailure(error)) throw asFailure(error, this.module);
      }
    }
  }
}

// "timeout exceeded when trying to connect" and refusals would only fail again.
const isStaleConnection = (error: unknown): boolean =>
  isStalePlan(error) ||
  (isConnectionFailure(error) &&
    /terminated|not queryable|57P0[12]|ECONNRESET|EPIPE/.test(
      `${(error as { code?: string }).code} ${(error as Error).message}`,
    ));
