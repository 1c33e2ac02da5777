import { RequestErrors } from '../edge/edge.errors';

/** The parameters of a part of a list: rows from one number to another, the last one exclusive. */
export interface RowRangeQuery {
  readonly left_hand_limit?: number | undefined;
  readonly right_hand_limit?: number | undefined;
  /** Does not count beside the others. */
  readonly limit?: string | undefined;
}

/** Declares `limit` of a list. */
export const ROW_LIMIT = {
  doc: 'Number of rows, or first row and row after the last one; only without left_hand_limit and right_hand_limit',
  optional: true,
  maxLength: 64,
} as const;

/** A part of a list. */
export interface RowRange {
  readonly from: number;
  readonly maxRows: number;
  /** There may be more rows, which are not wanted; otherwise too many of them are an error. */
  readonly isPart: boolean;
}

/** The first row and the number of rows of a part. @throws SVL-0010 when it ends before it begins */
export function parseRowRange(
  { left_hand_limit: left, right_hand_limit: right, limit }: RowRangeQuery,
  most: number,
): RowRange {
  const part = limit === undefined ? undefined : parseRowLimit(limit);
  const { from, to } = part && left === undefined && right === undefined ? part : { from: left ?? 0, to: right };
  if (to === undefined) return { from, maxRows: most, isPart: from > 0 };
  if (to < from) throw RequestErrors.badParameter('right_hand_limit', to);
  return { from, maxRows: Math.min(to - from, most), isPart: true };
}

const LIMIT = /^(?:(\d{1,9})\s*,\s*)?(\d{1,9})$/;

/** The rows that a `limit` of `to` or `from,to` asks for, counted from 0, `to` exclusive; anything else is SVL-0010. */
export function parseRowLimit(limit: string): { readonly from: number; readonly to: number } {
  const [, from = '0', to] = LIMIT.exec(limit.trim()) ?? [];
  if (to === undefined || Number(from) > Number(to)) throw RequestErrors.badParameter('limit', limit);
  return { from: Number(from), to: Number(to) };
}
