import type { PoolClient } from 'pg';
import type { ConnectionWatch } from './connection-watch';
import {
  WireStatement,
  type Statement,
  type StatementResult,
  type WireConnection,
  type WireField,
} from './wire-statement';

/** What came of a batch: the results in the order of its statements, up to the one that failed. */
export interface BatchOutcome {
  readonly results: readonly StatementResult[];
  /** Why the statement after the last result failed; none of those behind it ran. */
  readonly error?: unknown;
}

/**
 * Statements that travel to the server in one message and are answered in one: extended queries with a single Sync at the end
 * (PostgreSQL, Frontend/Backend Protocol, "Pipelining"). After an error the server skips the rest, so whoever opened a
 * transaction before may put `commit` behind the statements that must precede it. For pg it is a query of its caller
 * (the interface of `pg-cursor`).
 */
export class StatementBatch {
  /** Called once, with the results up to the statement that failed; set by pg unless it is set before. */
  callback: ((error: unknown, results: readonly StatementResult[]) => void) | undefined;
  private readonly underWay: readonly WireStatement[];
  private readonly results: StatementResult[] = [];
  private error: unknown;
  private at = 0;
  private connection: WireConnection | undefined;

  /** @param arrived told about each result as soon as it is there */
  constructor(
    readonly statements: readonly Statement[],
    private readonly arrived?: (result: StatementResult) => void,
  ) {
    this.underWay = statements.map((statement) => new WireStatement(statement));
  }

  submit(connection: WireConnection): null {
    this.connection = connection;
    connection.stream.cork();
    try {
      for (const statement of this.underWay) statement.send(connection);
    } catch (error) {
      // A value that cannot be written: nothing behind this statement may run.
      this.error = error;
    } finally {
      connection.sync();
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly WireField[] }): void {
    this.underWay[this.at]!.describe(fields);
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.underWay[this.at]!.add(fields);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const isNext = this.results.length === this.at;
    try {
      const result = this.underWay[this.at++]!.end(text);
      if (!isNext) return;
      this.results.push(result);
      this.arrived?.(result);
    } catch (error) {
      this.error ??= error;
    }
  }

  handleEmptyQuery(): void {
    this.error ??= new Error('a statement without a text');
    this.at++;
  }

  handleCopyInResponse(connection: WireConnection): void {
    connection.sendCopyFail('a statement must not ask for a copy');
    // The server took the one at the end of the batch for a part of the copy, and waits for another.
    connection.sync();
  }

  handleCopyData(): void {}

  handleError(error: unknown): void {
    this.error ??= error;
    this.end();
  }

  handleReadyForQuery(): void {
    this.end();
  }

  private end(): void {
    if (this.error !== undefined && this.connection)
      for (const statement of this.underWay.slice(this.results.length)) statement.forget(this.connection);
    this.callback?.(this.error ?? null, this.results);
  }
}

/** Sends statements in one message. Resolves also when one failed. */
export function sendBatch(
  connections: ConnectionWatch,
  client: PoolClient,
  statements: readonly Statement[],
): Promise<BatchOutcome> {
  return new Promise((resolve) => {
    const batch = new StatementBatch(statements);
    batch.callback = (error, results) => resolve(error === null ? { results } : { results, error });
    connections.send(client, batch);
  });
}
