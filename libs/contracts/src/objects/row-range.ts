import { RequestErrors } from '../edge/edge.errors';

/** The parameters of a part of a list: rows from one number to another, the last one exclusive. */
export interface RowRangeQuery {
  readonly left_hand_limit?: number | undefined;
  readonly right_hand_limit?: number | undefined;
}

/** A part of a list. */
export interface RowRange {
  readonly from: number;
  readonly maxRows: number;
  /** There may be more rows, which are not wanted; otherwise too many of them are an error. */
  readonly isPart: boolean;
}

/** The first row and the number of rows of a part. @throws SVL-0010 when it ends before it begins */
export function parseRowRange(
  { left_hand_limit: left, right_hand_limit: right }: RowRangeQuery,
  most: number,
): RowRange {
  const from = left ?? 0;
  if (right === undefined) return { from, maxRows: most, isPart: from > 0 };
  if (right < from) throw RequestErrors.badParameter('right_hand_limit', right);
  return { from, maxRows: Math.min(right - from, most), isPart: true };
}
