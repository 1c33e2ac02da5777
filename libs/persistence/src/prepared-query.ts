import { createRequire } from 'node:module';
import type { ResultMode } from './driver-statement';
import { valueTypes } from './value-types';

/** What a statement answered. */
export interface StatementResult {
  readonly rows: unknown[];
  /** Rows found or affected; null for commands that have none, such as COMMIT. */
  readonly rowCount: number | null;
  /** First word of the command: `SELECT`, `COMMIT`, `ROLLBACK` … */
  readonly command: string;
}

type Callback = (error: unknown, result: StatementResult) => void;

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** A connection of pg as far as a statement uses it. */
interface WireConnection {
  readonly stream: { cork(): void; uncork(): void };
  /** Texts of the prepared statements of this connection by name, and those that are being prepared. */
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { text: string; name: string }): void;
  bind(statement: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(what: { type: 'P'; name: string }): void;
  execute(portal: { portal: string; rows: number }): void;
  sync(): void;
}

interface Column {
  readonly name: string;
  readonly parse: (value: string) => unknown;
}

/** `SELECT 7`, `INSERT 0 7`, `COMMIT`, `CREATE TABLE`. */
const COMMAND = /^(\w+)(?:.* (\d+))?/;

// How pg writes values of JavaScript; it has no public name.
const { prepareValue } = createRequire(__filename)('pg/lib/utils') as { prepareValue: (value: unknown) => unknown };

/** Columns of the results of prepared statements, by connection and name of the statement. */
const described = new WeakMap<WireConnection, Map<string, readonly Column[]>>();

function describedOn(connection: WireConnection): Map<string, readonly Column[]> {
  let found = described.get(connection);
  if (!found) described.set(connection, (found = new Map()));
  return found;
}

/**
 * A prepared statement as pg's clients take it (the interface of `pg-cursor`). pg asks for the columns of a result at every
 * call and works out their parsers each time; here a connection is asked once for each statement: a table that changed
 * makes the server refuse the plan instead. For a view of 15 columns that saves a third of what pg
 * costs (57 instead of 93 µs of this process, see `bench/README.md`).
 */
export class PreparedQuery {
  /** Set by pg. */
  callback: Callback | undefined;
  private columns: readonly Column[] | undefined;
  private readonly rows: unknown[] = [];
  private tag = '';
  private failure: unknown;
  private remember: ((columns: readonly Column[]) => void) | undefined;

  constructor(
    readonly name: string,
    readonly text: string,
    private readonly values: readonly unknown[],
    private readonly mode: ResultMode,
  ) {}

  /** Sends the statement. Answers why it can't be sent, if so. */
  submit(connection: WireConnection): Error | null {
    const { name, text, values } = this;
    const known = connection.parsedStatements[name] ?? connection.submittedNamedStatements[name];
    if (known !== undefined && known !== text) return new Error(`two statements have the name ${name}`);
    const columns = describedOn(connection);
    this.columns = columns.get(name);
    connection.stream.cork();
    try {
      // First of all, because it throws for values that nobody can write.
      const texts = values.map(prepareValue);
      if (known === undefined) {
        connection.parse({ text, name });
        connection.submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values: texts, valueMapper: (value) => value });
      if (!this.columns) {
        this.remember = (found) => columns.set(name, found);
        connection.describe({ type: 'P', name: '' });
      }
      connection.execute({ portal: '', rows: 0 });
      connection.sync();
      return null;
    } catch (error) {
      return error as Error;
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: valueTypes.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      this.rows.push(this.mode === 'text' ? fields : this.read(fields, this.columns!));
    } catch (error) {
      this.failure ??= error;
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.tag = text;
    this.remember?.(this.columns ?? []);
  }

  handleReadyForQuery(): void {
    if (this.failure !== undefined) return this.handleError(this.failure);
    const [, command = '', count] = COMMAND.exec(this.tag) ?? [];
    this.callback?.(null, { rows: this.rows, command, rowCount: count === undefined ? null : Number(count) });
  }

  handleError(error: unknown): void {
    this.callback?.(error, undefined as never);
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(): void {
    this.failure = new Error('a statement must not ask for a copy');
  }

  handleCopyData(): void {}

  /** Turns the texts of one row into values, in place for rows as arrays. */
  private read(fields: (string | null)[], columns: readonly Column[]): unknown {
    if (this.mode === 'rows') {
      const row = fields as unknown[];
      for (let index = 0; index < columns.length; index++) {
        const text = fields[index];
        if (text !== null) row[index] = columns[index]!.parse(text!);
      }
      return row;
    }
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) {
      const { name, parse } = columns[index]!;
      const text = fields[index];
      row[name] = text === null ? null : parse(text!);
    }
    return row;
  }
}
