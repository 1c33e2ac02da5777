/** See {@link DatabaseSettings.pooler}. */
export type Pooler = 'none' | 'transaction' | 'transaction-prepared';

/** How a process talks to Postgres. Every limit has a default that suits a small installation. */
export interface DatabaseSettings {
  /** URL of the default shard; also holds the shard registry. */
  readonly url: string;
  /** Most connections per module and shard in this process. Default 8. */
  readonly poolSize?: number;
  /** Connections that reads outside of transactions use at the same time; long reads are not counted. Default 3. */
  readonly readConnections?: number;
  /**
   * Pooler between the services and the server: none, or one that gives sessions away between transactions.
   * `transaction-prepared` is one that keeps prepared statements (PgBouncer 1.21 with `max_prepared_statements`). Default `none`.
   */
  readonly pooler?: Pooler;
  /** A statement that takes longer is cancelled. Default 30,000. */
  readonly statementTimeoutMs?: number;
  /** Longest wait for a row or table lock. Default 10,000. */
  readonly lockTimeoutMs?: number;
  /**
   * A transaction that stays idle longer is ended by the server: its process froze, and others wait for its locks.
   * Default 5,000.
   */
  readonly idleTransactionTimeoutMs?: number;
  /** A connection that owes an answer for so long is looked after: it may be dead without a word, ms. Default 2,500. */
  readonly silenceMs?: number;
  /** Longest wait for a free or new connection. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Unused connections are closed after so long. Default 30,000. */
  readonly idleConnectionMs?: number;
  /** How often a transaction is tried when it loses against others. Default 5. */
  readonly transactionAttempts?: number;
  /** Shown by the server for each connection, with the module appended. Default `groupware`. */
  readonly applicationName?: string;
}

/** Settings with defaults filled in. */
export type CompleteDatabaseSettings = Required<DatabaseSettings>;

export const completeSettings = (settings: DatabaseSettings): CompleteDatabaseSettings => ({
  url: settings.url,
  poolSize: settings.poolSize ?? 8,
  readConnections: settings.readConnections ?? 3,
  pooler: settings.pooler ?? 'none',
  statementTimeoutMs: settings.statementTimeoutMs ?? 30_000,
  lockTimeoutMs: settings.lockTimeoutMs ?? 10_000,
  idleTransactionTimeoutMs: settings.idleTransactionTimeoutMs ?? 5_000,
  silenceMs: settings.silenceMs ?? 2_500,
  connectTimeoutMs: settings.connectTimeoutMs ?? 5_000,
  idleConnectionMs: settings.idleConnectionMs ?? 30_000,
  transactionAttempts: settings.transactionAttempts ?? 5,
  applicationName: settings.applicationName ?? 'groupware',
});

/** Schema that a module owns: its name with `-` as `_`. */
export function schemaOf(module: string): string {
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(module)) throw new Error(`'${module}' is no name of a module`);
  return module.replaceAll('-', '_');
}

/** An SQL identifier in quotes. */
export const quoteIdentifier = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
