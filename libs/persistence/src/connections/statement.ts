import type { QueryArrayConfig, QueryConfig } from 'pg';
import { StatementNames } from './statement-names';
import { unparsedTypes } from './value-types';

/** How the values of a result are delivered: rows as arrays, rows as objects, or rows as arrays of the texts that the server sent. */
export type ResultMode = 'rows' | 'objects' | 'text';

/** A statement to send. */
export interface Statement {
  readonly mode: ResultMode;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Result of a statement. */
export interface StatementResult {
  readonly rows: unknown[];
  /** Rows found or affected; null for commands that have none, such as COMMIT. */
  readonly rowCount: number | null;
  /** First word of the command: `SELECT`, `COMMIT`, `ROLLBACK` … */
  readonly command: string;
}

const names = new StatementNames();

/**
 * A statement as pg sends it: prepared under a name when its text comes back, so that each connection parses and plans it once.
 * @param isPrepared false where connections do not keep prepared statements
 */
export function queryOf({ mode, text, values }: Statement, isPrepared: boolean): QueryConfig | QueryArrayConfig {
  const name = isPrepared ? names.nameOf(text) : undefined;
  const query: QueryConfig = { text, values: [...values], ...(name !== undefined && { name }) };
  if (mode === 'objects') return query;
  return { ...query, rowMode: 'array', ...(mode === 'text' && { types: unparsedTypes }) };
}
