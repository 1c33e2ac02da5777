import { Query, type Connection, type PoolClient, type QueryConfig, type QueryResult } from 'pg';

/** A statement as the driver takes it. */
export type DriverStatement = QueryConfig & { readonly rowMode?: 'array' };

/** What came of a batch: the results in the order of its statements, up to the one that failed. */
export interface BatchOutcome {
  readonly results: readonly QueryResult[];
  /** Why the statement after the last result failed; none of those behind it ran. */
  readonly error?: unknown;
}

/** What the driver's client calls on a query, and what a query calls on the connection; its types leave these out. */
interface DriverQuery {
  callback: (error: unknown, result?: QueryResult) => void;
  name?: string;
  text: string;
  submit(connection: DriverConnection): Error | null;
  hasBeenParsed(connection: DriverConnection): unknown;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: DriverConnection): void;
  handleReadyForQuery(connection: DriverConnection): void;
}
type DriverConnection = Connection & {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
};

/**
 * Several statements that travel to the server in one message and are answered in one: extended queries with a single Sync
 * at the end (PostgreSQL, Frontend/Backend Protocol, "Pipelining"). After an error the server skips the rest, so whoever
 * opened a transaction before may put `commit` behind the statements that must precede it.
 */
class StatementBatch {
  private readonly queries: DriverQuery[];
  private readonly results: QueryResult[] = [];
  /** What the server prepares, in the order of its answers. */
  private readonly parsing: DriverQuery[] = [];
  private error: unknown;
  private at = 0;
  private connection: DriverConnection | undefined;

  constructor(
    readonly statements: readonly DriverStatement[],
    private readonly done: (outcome: BatchOutcome) => void,
  ) {
    this.queries = statements.map((statement) => {
      const query = new Query({ ...statement, queryMode: 'extended' } as DriverStatement) as unknown as DriverQuery;
      query.callback = (error, result) => {
        if (error) this.error ??= error;
        else this.results.push(result!);
      };
      return query;
    });
  }

  submit(connection: DriverConnection): null {
    this.connection = connection;
    // Each query would end with a Sync of its own.
    const quiet = Object.create(connection, { sync: { value: () => undefined } }) as DriverConnection;
    connection.on('parseComplete', this.onParsed);
    connection.stream.cork();
    try {
      for (const query of this.queries) {
        if (!query.hasBeenParsed(connection)) this.parsing.push(query);
        const refused = query.submit(quiet);
        if (refused) this.error ??= refused;
        // A value that cannot be sent: nothing behind this statement may run, and the query had it closed.
        if (this.error !== undefined) {
          forget(query, connection);
          query.name = undefined;
          break;
        }
      }
      (connection as unknown as { sync(): void }).sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription(message: unknown): void {
    this.queries[this.at]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.queries[this.at]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: DriverConnection): void {
    const query = this.queries[this.at++];
    query?.handleCommandComplete(message, connection);
    // Its callback takes the result, or what was wrong with a value of it.
    if (this.error === undefined) query?.handleReadyForQuery(connection);
  }

  handleEmptyQuery(): void {
    this.error ??= new Error('a statement without a text');
    this.at++;
  }

  handleError(error: unknown): void {
    this.error ??= error;
    this.end();
  }

  handleReadyForQuery(): void {
    this.end();
  }

  private readonly onParsed = (): void => {
    const query = this.parsing.shift();
    if (!query?.name || !this.connection) return;
    this.connection.parsedStatements[query.name] = query.text;
    delete this.connection.submittedNamedStatements[query.name];
  };

  private end(): void {
    this.connection?.off('parseComplete', this.onParsed);
    for (const query of this.parsing.splice(0)) if (this.connection) forget(query, this.connection);
    this.connection = undefined;
    this.done({ results: this.results, ...(this.error !== undefined && { error: this.error }) });
  }
}

function forget({ name }: DriverQuery, connection: DriverConnection): void {
  if (!name) return;
  delete connection.parsedStatements[name];
  delete connection.submittedNamedStatements[name];
}

/** Sends statements in one message. Resolves also when one failed. */
export function sendBatch(client: PoolClient, statements: readonly DriverStatement[]): Promise<BatchOutcome> {
  return new Promise((resolve) => {
    client.query(new StatementBatch(statements, resolve) as never);
  });
}
