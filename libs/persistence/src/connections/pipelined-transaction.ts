import type { PoolClient } from 'pg';
import { asFailure, breaksConnection, isConnectionFailure } from '../failures';
import type { ConnectionWatch } from './connection-watch';
import { queryOf, type ResultMode, type Statement, type StatementResult } from './statement';
import { traceStatement } from './trace-statement';

/** Source of the connection of a transaction. */
export interface ConnectionSource {
  readonly module: string;
  readonly connections: ConnectionWatch;
  /** Whether connections keep prepared statements. */
  readonly keepsPrepared: boolean;
  acquire(): Promise<PoolClient>;
}

/** Translates the failure of a statement. */
export type Explain = (error: unknown) => unknown;

interface Enqueued {
  readonly statement: Statement;
  /** `commit`, `savepoint` and their kin, which take no parameters. */
  readonly isControl: boolean;
  readonly explain?: Explain;
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Connections tried when one died in the pool. */
export const MAX_TRIES = 4;

/**
 * The statements of one transaction, in the order in which they are asked for. They are sent without waiting for the answers
 * of those before (pg's `pipeline`); those asked for in one go are one message, the first ones with `begin`. After a failure
 * the server refuses what stands behind it, and turns `commit` into a rollback. A transaction without statements takes no
 * connection.
 */
export class PipelinedTransaction {
  private client: PoolClient | undefined;
  private queue: Enqueued[] = [];
  /** Sent behind a `begin` without an answer: none of it can be there for good. */
  private unconfirmed: Enqueued[] = [];
  private begun: 'no' | 'sent' | 'confirmed' | 'failed' = 'no';
  private tries = 1;
  private flushing: Promise<void> | undefined;
  private last: Promise<unknown> = Promise.resolve();
  /** Why the server refuses what comes now. */
  private failure: unknown;
  /** A failure that was not reported yet. */
  private unreported: unknown;
  /** Why nothing may be sent any more: there is no transaction, or a statement of it could not be sent. */
  private refusal: unknown;
  private broken: unknown;
  /** The commit was sent: without an answer its outcome is unknown. */
  isCommitSent = false;

  constructor(
    private readonly source: ConnectionSource,
    /** Text that begins the transaction on a connection. */
    private readonly begin: (client: PoolClient) => string,
  ) {}

  /** Something was asked for. */
  get isUsed(): boolean {
    return this.client !== undefined || this.queue.length > 0 || this.flushing !== undefined;
  }

  /** Sends a statement with all that were enqueued before. */
  async send(mode: ResultMode, sql: string, params: readonly unknown[]): Promise<StatementResult> {
    const result = this.add({ mode, text: sql, values: params });
    this.scheduleFlush();
    return this.translated(result);
  }

  /** Keeps a statement until the next one is sent, or the commit; its failure is that of those behind it. */
  enqueue(sql: string, params: readonly unknown[], explain?: Explain): void {
    this.add({ mode: 'rows', text: sql, values: params }, explain).catch((error: unknown) => (this.unreported = error));
  }

  /** The same for `savepoint` and its kin. */
  enqueueControl(sql: string): void {
    this.addControl(sql).catch((error: unknown) => (this.unreported = error));
  }

  /** Sends what was enqueued and waits for it; throws when it failed. */
  async flush(): Promise<void> {
    this.scheduleFlush();
    await this.translated(this.last);
  }

  /** Commits what was done; throws when the server rolled back instead. */
  async commit(): Promise<void> {
    if (!this.isUsed) return;
    // A connection that died in the pool is replaced only when the commit cannot have arrived.
    if (this.begun !== 'confirmed') await this.flush();
    this.isCommitSent = true;
    const result = this.addControl('commit');
    this.scheduleFlush();
    const { command } = await this.translated(result);
    // A transaction in which a statement failed is rolled back by COMMIT without an error.
    if (command === 'COMMIT') return;
    if (this.unreported !== undefined) throw asFailure(this.unreported, this.source.module);
    throw new Error('the transaction was rolled back: an error of one of its statements was swallowed');
  }

  /** Undoes what was done, after a failure. */
  async rollback(error: unknown): Promise<void> {
    this.refusal ??= error;
    await this.flushing;
    this.rejectQueue(error);
    if (breaksConnection(error)) this.broken ??= error;
    const { client } = this;
    if (!client || this.broken !== undefined) return;
    await new Promise<void>((resolve) => {
      this.source.connections.query(client, { text: 'rollback' }, (failure) => {
        this.broken = failure ?? undefined;
        resolve();
      });
    });
  }

  /** Gives the connection back; one that failed is thrown away. */
  release(): void {
    this.client?.release(this.broken instanceof Error ? this.broken : this.broken !== undefined);
    this.client = undefined;
  }

  private add(statement: Statement, explain?: Explain, isControl = false): Promise<StatementResult> {
    const result = traceStatement(
      this.source.module,
      statement.text,
      () =>
        new Promise<StatementResult>((resolve, reject) => {
          this.queue.push({ statement, isControl, explain, resolve, reject });
        }),
    );
    this.last = result;
    return result;
  }

  private addControl(text: string): Promise<StatementResult> {
    return this.add({ mode: 'rows', text, values: [] }, undefined, true);
  }

  private async translated<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      this.unreported = undefined;
      // The trace of the driver leads to its socket, this one to the caller.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw asFailure(error, this.source.module);
    }
  }

  /** Sends the queue after the current turn, with all that is enqueued in it. */
  private scheduleFlush(): void {
    this.flushing ??= Promise.resolve()
      .then(() => this.sendQueue())
      .catch((error: unknown) => this.rejectQueue(error))
      .finally(() => {
        this.flushing = undefined;
        if (this.client && this.queue.length > 0) this.scheduleFlush();
      });
  }

  private async sendQueue(): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    const client = (this.client ??= await this.source.acquire());
    const { stream } = client.connection;
    stream.cork();
    try {
      if (this.begun === 'no') this.sendBegin(client);
      for (const each of this.queue.splice(0)) this.sendOne(client, each);
    } finally {
      stream.uncork();
    }
  }

  private sendBegin(client: PoolClient): void {
    this.begun = 'sent';
    this.source.connections.query(client, { text: this.begin(client) }, (error) => {
      if (error === null) {
        this.begun = 'confirmed';
        this.unconfirmed = [];
      } else if (isConnectionFailure(error) && this.tries < MAX_TRIES && this.refusal === undefined)
        this.replay(client);
      else {
        this.begun = 'failed';
        this.refusal ??= error;
        this.failure ??= error;
      }
    });
  }

  /** Begins anew: a connection that died in the pool kept nothing, and is replaced without anybody noticing. */
  private replay(client: PoolClient): void {
    this.tries++;
    client.release(true);
    this.client = undefined;
    this.begun = 'no';
    this.queue.unshift(...this.unconfirmed.splice(0));
    this.scheduleFlush();
  }

  private sendOne(client: PoolClient, each: Enqueued): void {
    if (this.refusal !== undefined) return each.reject(this.refusal);
    if (this.begun !== 'confirmed') this.unconfirmed.push(each);
    const { statement, isControl } = each;
    const attempt = this.tries;
    let isSending = true;
    const query = isControl ? { text: statement.text } : queryOf(statement, this.source.keepsPrepared);
    this.source.connections.query(client, query, (error, result) => {
      if (attempt !== this.tries) return;
      if (error === null && this.begun !== 'failed') {
        // After a failure the server takes nothing but the way back to a savepoint.
        this.failure = undefined;
        return each.resolve(result);
      }
      // A value that cannot be sent: the statement is missing, and the connection does not know whether it is prepared.
      if (isSending) this.refusal = this.broken = error;
      this.failure ??= each.explain ? each.explain(error) : error;
      each.reject(this.failure);
    });
    isSending = false;
  }

  private rejectQueue(error: unknown): void {
    for (const { reject } of this.queue.splice(0)) reject(error);
  }
}
