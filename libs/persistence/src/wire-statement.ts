import { createRequire } from 'node:module';
import { StatementNames } from './statement-names';
import { valueTypes } from './value-types';

/** How the values of a result are delivered: rows as arrays, rows as objects, or rows as arrays of the texts that the server sent. */
export type ResultMode = 'rows' | 'objects' | 'text';

/** A statement to send. */
export interface Statement {
  readonly mode: ResultMode;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What a statement answered. */
export interface StatementResult {
  readonly rows: unknown[];
  /** Rows found or affected; null for commands that have none, such as COMMIT. */
  readonly rowCount: number | null;
  /** First word of the command: `SELECT`, `COMMIT`, `ROLLBACK` … */
  readonly command: string;
}

/** A column of a result as the server describes it. */
export interface WireField {
  readonly name: string;
  readonly dataTypeID: number;
}

/** A connection of pg as far as statements use it; its types leave this out. */
export interface WireConnection {
  readonly stream: { cork(): void; uncork(): void };
  close(what: { type: 'S'; name: string }): void;
  parse(statement: { text: string; name: string }): void;
  bind(statement: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(what: { type: 'P'; name: string }): void;
  execute(portal: { portal: string; rows: number }): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

interface Column {
  readonly name: string;
  readonly parse: (value: string) => unknown;
}

/** A statement that a connection has prepared. */
interface Prepared {
  /** Of its result; unknown until its first one was read. */
  columns?: readonly Column[];
}

/** `SELECT 7`, `INSERT 0 7`, `COMMIT`, `CREATE TABLE`. */
const COMMAND = /^(\w+)(?:.* (\d+))?/;

// How pg writes values of JavaScript; it has no public name.
const { prepareValue } = createRequire(__filename)('pg/lib/utils') as { prepareValue: (value: unknown) => unknown };

const names = new StatementNames();
const preparedOn = new WeakMap<WireConnection, Map<string, Prepared>>();

/**
 * A statement on its way, as an extended query. A text that comes back is prepared once for each connection, and the columns of its
 * result are asked for once: a table that changed makes the server refuse the plan instead. pg asks for them and works out
 * their parsers at every call; for a view of 15 columns that is a third of what it costs (see `bench/README.md`).
 */
export class WireStatement {
  private readonly name: string | undefined;
  private prepared: Prepared = {};
  private columns: readonly Column[] | undefined;
  private readonly rows: unknown[] = [];
  private unreadable: unknown;

  constructor(private readonly statement: Statement) {
    this.name = names.nameOf(statement.text);
  }

  /** Writes the statement, without the end of its batch. Throws for values that cannot be written, before it writes anything. */
  send(connection: WireConnection): void {
    const values = this.statement.values.map(prepareValue);
    this.prepare(connection);
    connection.bind({ statement: this.name ?? '', values, valueMapper: (value) => value });
    this.columns = this.prepared.columns;
    if (!this.columns) connection.describe({ type: 'P', name: '' });
    connection.execute({ portal: '', rows: 0 });
  }

  /** After an error before the result: the server may have prepared the statement or not. */
  forget(connection: WireConnection): void {
    if (this.name !== undefined && !this.prepared.columns) preparedOn.get(connection)?.delete(this.name);
  }

  describe(fields: readonly WireField[]): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: valueTypes.getTypeParser(dataTypeID, 'text'),
    }));
  }

  /** Takes a row; its texts become values in place. */
  add(texts: (string | null)[]): void {
    try {
      this.rows.push(this.statement.mode === 'text' ? texts : this.read(texts, this.columns!));
    } catch (error) {
      this.unreadable ??= error;
    }
  }

  /** The result, from the tag of the command at its end. Throws when a value of it cannot be one of JavaScript. */
  end(tag: string): StatementResult {
    this.prepared.columns = this.columns ?? [];
    if (this.unreadable !== undefined) throw this.unreadable;
    const [, command = '', count] = COMMAND.exec(tag) ?? [];
    return { rows: this.rows, command, rowCount: count === undefined ? null : Number(count) };
  }

  private prepare(connection: WireConnection): void {
    const { name } = this;
    const { text } = this.statement;
    if (name === undefined) return connection.parse({ text, name: '' });
    let statements = preparedOn.get(connection);
    if (!statements) preparedOn.set(connection, (statements = new Map()));
    const known = statements.get(name);
    if (known) {
      this.prepared = known;
      return;
    }
    // It may be left from an attempt that failed.
    connection.close({ type: 'S', name });
    connection.parse({ text, name });
    statements.set(name, this.prepared);
  }

  private read(texts: (string | null)[], columns: readonly Column[]): unknown {
    if (this.statement.mode === 'rows') {
      const row = texts as unknown[];
      for (let index = 0; index < columns.length; index++) {
        const text = texts[index];
        if (text !== null) row[index] = columns[index]!.parse(text!);
      }
      return row;
    }
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) {
      const { name, parse } = columns[index]!;
      const text = texts[index];
      row[name] = text === null ? null : parse(text!);
    }
    return row;
  }
}
