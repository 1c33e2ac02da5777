import type { EncodedRow } from './series-rows';

/** A row in a JSON array of rows: what it is sorted by, and its length in bytes. */
export type RowPlace = readonly [start: number, id: number, bytes: number];

/** Rows as Postgres wrote them: a JSON array in order, and the places in it where there is something to merge with. */
export interface WrittenRows {
  readonly rows: string;
  readonly places: readonly RowPlace[] | null;
}

/** The rows that Postgres wrote and the rows of series, all in the order of start and id: the JSON of one at a time. */
export function* mergeRows({ rows, places }: WrittenRows, series: readonly EncodedRow[]): Generator<string> {
  const bytes = Buffer.from(rows);
  let next = 0;
  // Behind the bracket; a comma parts two rows.
  let offset = 1;
  for (const [start, id, length] of places ?? []) {
    for (; next < series.length; next++) {
      const row = series[next]!;
      if (row.start > start || (row.start === start && row.id > id)) break;
      yield row.json;
    }
    yield bytes.toString('utf8', offset, offset + length);
    offset += length + 1;
  }
  for (; next < series.length; next++) yield series[next]!.json;
}

/** The rows of a JSON array from one number to another. */
export const rowsBetween = (rows: string, from: number, to: number): string =>
  JSON.stringify((JSON.parse(rows) as unknown[]).slice(from, to));

/** The usual order of rows. */
export const byStart = (left: EncodedRow, right: EncodedRow): number => left.start - right.start || left.id - right.id;

/** Rows in another order than the usual; only the first `width` cells are kept. Equal values keep the usual order. */
export function sortedRows(
  text: string,
  columns: readonly string[],
  width: number,
  sort: string,
  descending: boolean,
): string {
  const rows = JSON.parse(text) as unknown[][];
  const index = columns.indexOf(sort);
  rows.sort((left, right) => (descending ? -1 : 1) * compare(left[index], right[index]));
  return JSON.stringify(rows.map((row) => row.slice(0, width)));
}

function compare(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === null || left === undefined) return -1;
  if (right === null || right === undefined) return 1;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [a, b] = [String(left), String(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}
