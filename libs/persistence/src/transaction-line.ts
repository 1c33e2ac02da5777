import type { PoolClient } from 'pg';
import type { ConnectionWatch } from './connection-watch';
import { asFailure, breaksConnection, isConnectionFailure } from './failures';
import { sendBatch, type BatchOutcome } from './statement-batch';
import { traceStatement } from './trace-statement';
import type { ResultMode, Statement, StatementResult } from './wire-statement';

/** Where a line gets its connection from. */
export interface Lender {
  readonly module: string;
  readonly connections: ConnectionWatch;
  acquire(): Promise<PoolClient>;
}

/** What the failure of a statement means. */
export type Explain = (error: unknown) => unknown;

interface Waiting {
  readonly statement: Statement;
  readonly explain?: Explain;
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Connections tried when one died in the pool. */
const TRIES = 4;

/**
 * The statements of one transaction, in the order in which they are asked for. Those asked for in one go (without waiting
 * for an answer in between) travel together, the first ones with the begin of the transaction. A line that is never used
 * takes no connection.
 */
export class TransactionLine {
  private client: PoolClient | undefined;
  private waiting: Waiting[] = [];
  private kept: Promise<unknown> = Promise.resolve();
  private scheduled = false;
  private sending: Promise<void> | undefined;
  private broken: unknown;
  /** Why there is no transaction. */
  private refused: unknown;

  constructor(
    private readonly lender: Lender,
    /** Statements that open the transaction. */
    private readonly begin: readonly string[],
  ) {}

  /** Sends a statement with all that were asked for before. */
  async send(mode: ResultMode, sql: string, params: readonly unknown[]): Promise<StatementResult> {
    const answer = this.wait(mode, sql, params);
    this.schedule();
    return this.understood(answer);
  }

  /** Keeps a statement until the next one is sent, or the commit; its failure is that of those behind it. */
  later(sql: string, params: readonly unknown[], explain?: Explain): void {
    this.kept = this.wait('rows', sql, params, explain);
    this.kept.catch(() => undefined);
  }

  /** Sends what was kept; throws when it failed. */
  async settle(): Promise<void> {
    this.schedule();
    await this.understood(this.kept);
  }

  /** Commits what was done; throws when the server rolled back instead. */
  async commit(): Promise<void> {
    if (!this.client && this.waiting.length === 0 && !this.sending) return;
    // A connection that died in the pool is replaced only when the commit cannot have arrived.
    if (!this.client) await this.settle();
    const { command } = await this.send('rows', 'commit', []);
    // A transaction in which a statement failed is rolled back by COMMIT without an error.
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: an error of one of its statements was swallowed');
  }

  /** Undoes what was done, after a failure. */
  async abandon(error: unknown): Promise<void> {
    this.refuseWaiting(error);
    await this.sending;
    this.refuseWaiting(error);
    if (breaksConnection(error)) this.broken ??= error;
    if (!this.client || this.broken !== undefined) return;
    const rollback: Statement = { mode: 'rows', text: 'rollback', values: [] };
    ({ error: this.broken } = await sendBatch(this.lender.connections, this.client, [rollback]));
  }

  /** Gives the connection back; one that failed is thrown away. */
  release(): void {
    this.client?.release(this.broken instanceof Error ? this.broken : this.broken !== undefined);
    this.client = undefined;
  }

  private wait(mode: ResultMode, sql: string, params: readonly unknown[], explain?: Explain): Promise<StatementResult> {
    return traceStatement(
      this.lender.module,
      sql,
      () =>
        new Promise((resolve, reject) => {
          this.waiting.push({ statement: { mode, text: sql, values: params }, explain, resolve, reject });
        }),
    );
  }

  private async understood<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      // The trace of the driver leads to its socket, this one to whoever asked.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw asFailure(error, this.lender.module);
    }
  }

  private schedule(): void {
    if (this.scheduled || this.sending) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.sending ??= this.sendAll().finally(() => (this.sending = undefined));
    });
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      const { results, error } = await this.sendBatch(batch.map(({ statement }) => statement)).catch(
        (failure: unknown): BatchOutcome => ({ results: [], error: failure }),
      );
      const failed = batch[results.length];
      const reason = failed?.explain ? failed.explain(error) : error;
      batch.forEach(({ resolve, reject }, index) =>
        index < results.length ? resolve(results[index]!) : reject(reason),
      );
    }
  }

  /** Sends a batch, the first one behind the begin of the transaction. */
  private async sendBatch(statements: readonly Statement[]): Promise<BatchOutcome> {
    // Without a transaction each statement would stay for good.
    if (this.refused !== undefined) return { results: [], error: this.refused };
    if (this.client) return sendBatch(this.lender.connections, this.client, statements);
    const begin = this.begin.map((text): Statement => ({ mode: 'rows', text, values: [] }));
    for (let attempt = 1; ; attempt++) {
      const client = await this.lender.acquire();
      const { results, error } = await sendBatch(this.lender.connections, client, [...begin, ...statements]);
      // Nothing was kept yet, so a connection that died in the pool may be replaced without anybody noticing.
      if (error !== undefined && isConnectionFailure(error) && attempt < TRIES) {
        client.release(true);
        continue;
      }
      this.client = client;
      if (results.length < begin.length) this.refused = error;
      return { results: results.slice(begin.length), ...(error !== undefined && { error }) };
    }
  }

  private refuseWaiting(error: unknown): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
