import type { EventType, Tenant } from '@groupware/contracts';

/**
 * Statements on the data of one tenant. In every statement `$1` is the context id, set by the kit; own parameters start
 * at `$2`. A statement that does not mention `$1` is refused; tests refuse every statement that is not proven to touch rows of
 * this tenant only (tools/tenancy). Usable only until the callback that received it ended. Outside of
 * a transaction a statement may run twice, and must have no effect.
 */
export interface Reader {
  readonly contextId: number;
  /** Rows as arrays, values in the order of the select list: the wire form of a row result. */
  rows(sql: string, ...params: readonly unknown[]): Promise<unknown[][]>;
  /** Rows as objects with the column names as keys. */
  objects<T extends object>(sql: string, ...params: readonly unknown[]): Promise<T[]>;
  /** The first row as an object, or undefined. */
  first<T extends object>(sql: string, ...params: readonly unknown[]): Promise<T | undefined>;
  /** First column of the first row as text, unparsed: for `json_agg(…)::text`. Undefined for no row and for null. */
  text(sql: string, ...params: readonly unknown[]): Promise<string | undefined>;
  /** Statements without tenant in the same place: for tables that all contexts share. The reason is listed (docs/generated). */
  acrossContexts(reason: string): Pick<AdministrationStatements, 'rows' | 'objects' | 'first' | 'text'>;
}

/** A statement with what its failure means, such as an error of a catalogue for a violated constraint. */
export interface ExplainedStatement {
  readonly sql: string;
  readonly explain: (error: unknown) => unknown;
}

/**
 * A reader inside a transaction that may also write. The handler owns it; repositories take it as first argument. Statements
 * that are asked for without waiting in between (`Promise.all`) run in that order and share one round trip; after a failure
 * those behind it do not run.
 */
export interface Transaction extends Reader {
  /** Runs a statement and returns the number of rows affected. */
  run(sql: string, ...params: readonly unknown[]): Promise<number>;
  /**
   * Runs a statement whose result is not needed together with the next one, at the latest with the commit: no round trip of
   * its own. When it fails, what follows fails with its error.
   */
  enqueue(statement: string | ExplainedStatement, ...params: readonly unknown[]): void;
  /** Sends what {@link enqueue} kept and waits for it; throws when it failed. */
  flush(): Promise<void>;
  /** Stores an event in the outbox, in this transaction: it is sent if and only if the transaction commits. */
  publish<P extends object>(event: EventType<P>, payload: P): Promise<void>;
  /** Runs after the commit and never on a rollback. A failing effect is reported, it does not fail the call. */
  afterCommit(effect: () => void): void;
  /**
   * Runs after the commit, and the call is answered when it is done: for what must be so once a caller knows. A failure is
   * reported, it does not fail the call; it does not run when the process dies or a repeated call finds the transaction done, so
   * an event guarantees the same.
   */
  awaitAfterCommit(effect: () => Promise<void>): void;
  /** Runs `work` within a savepoint: when it throws, its writes and events are undone and the transaction goes on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /** See {@link Reader.acrossContexts}; these may write. */
  acrossContexts(reason: string): AdministrationStatements;
}

/** Statements across contexts, for administration only. Parameters start at `$1`; no tenant is bound. */
export interface AdministrationStatements {
  /** See {@link Reader.rows}. */
  rows(sql: string, ...params: readonly unknown[]): Promise<unknown[][]>;
  /** See {@link Reader.objects}. */
  objects<T extends object>(sql: string, ...params: readonly unknown[]): Promise<T[]>;
  /** See {@link Reader.first}. */
  first<T extends object>(sql: string, ...params: readonly unknown[]): Promise<T | undefined>;
  /** See {@link Reader.text}. */
  text(sql: string, ...params: readonly unknown[]): Promise<string | undefined>;
  /** See {@link Transaction.run}. */
  run(sql: string, ...params: readonly unknown[]): Promise<number>;
}

/** A transaction across contexts. */
export interface AdministrationTransaction extends AdministrationStatements {
  /** See {@link Transaction.enqueue}. */
  enqueue(sql: string, ...params: readonly unknown[]): void;
  /** Stores an event of one tenant in the outbox. */
  publishFor<P extends object>(tenant: Tenant, event: EventType<P>, payload: P): Promise<void>;
  /** See {@link Transaction.afterCommit}. */
  afterCommit(effect: () => void): void;
}
