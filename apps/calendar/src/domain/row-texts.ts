import type { RowText } from './series-rows';

/** Rows as Postgres wrote them: JSON arrays in order, with what they are sorted by. */
export interface WrittenRows {
  readonly cells: string | null;
  readonly starts: string | null;
  readonly ids: string | null;
}

/** Parts two rows; no JSON value that Postgres writes contains a line feed. */
const SEPARATOR = ',\n';

/** One JSON array of the rows that Postgres wrote and the rows of series, in the order of start and id: those from one number to another. */
export function mergedRows(written: WrittenRows, series: readonly RowText[], from = 0, to = Infinity): string {
  if (series.length === 0 && from === 0 && to === Infinity) return `[${written.cells ?? ''}]`;
  const texts = written.cells?.split(SEPARATOR) ?? [];
  // Those of Postgres are in order already and need no starts when there is nothing to merge with.
  const json = series.length === 0 ? texts : merged(texts, written, [...series].sort(byStart));
  return `[${(from > 0 || json.length > to ? json.slice(from, to) : json).join(',')}]`;
}

/** Two lists in order as one. */
function merged(texts: readonly string[], written: WrittenRows, series: readonly RowText[]): string[] {
  const starts = written.starts?.split(',') ?? [];
  const ids = written.ids?.split(',') ?? [];
  const json: string[] = [];
  let next = 0;
  for (let index = 0; index < texts.length; index++) {
    const start = Number(starts[index]);
    const id = Number(ids[index]);
    for (; next < series.length; next++) {
      const row = series[next]!;
      if (row.start > start || (row.start === start && row.id > id)) break;
      json.push(row.json);
    }
    json.push(texts[index]!);
  }
  for (; next < series.length; next++) json.push(series[next]!.json);
  return json;
}

/** The usual order of rows. */
export const byStart = (left: RowText, right: RowText): number => left.start - right.start || left.id - right.id;

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
