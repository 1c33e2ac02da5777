import { MailErrors } from '@groupware/contracts';

/** Part of a list: from the first row, which counts, to the row after the last one. */
export interface ListWindow {
  readonly start: number;
  readonly end: number;
}

/** Parameters that tell a part of a list. */
export interface WindowParameters {
  readonly left_hand_limit?: string;
  readonly right_hand_limit?: string;
  readonly limit?: string;
}

/** Parses the part that is wanted; undefined for all. @throws MSG-0031 for what is no number */
export function parseWindow({ left_hand_limit, right_hand_limit, limit }: WindowParameters): ListWindow | undefined {
  const left = left_hand_limit === undefined ? undefined : toIndex('left_hand_limit', left_hand_limit);
  const right = right_hand_limit === undefined ? undefined : toIndex('right_hand_limit', right_hand_limit);
  if (left !== undefined && right !== undefined) return { start: left, end: right };
  if (!limit) return undefined;
  const [first, second] = limit.split(',').map((part) => toIndex('limit', part));
  return second === undefined ? { start: 0, end: first! } : { start: first!, end: second };
}

/** The part of a list. */
export const cut = <T>(list: readonly T[], window: ListWindow | undefined, most: number): readonly T[] =>
  window
    ? list.slice(window.start, Math.min(Math.max(window.start, window.end), window.start + most))
    : list.slice(0, most);

/** The part of a list that is read from its end. */
export function cutReversed<T>(list: readonly T[], window: ListWindow | undefined, most: number): readonly T[] {
  const start = window?.start ?? 0;
  const end = Math.min(Math.max(start, window?.end ?? Infinity), start + most);
  return list.slice(Math.max(0, list.length - end), Math.max(0, list.length - start)).reverse();
}

function toIndex(name: string, value: string): number {
  const number = value.trim() === '' ? NaN : Number(value);
  if (!Number.isInteger(number)) throw MailErrors.badParameter(name, value);
  return Math.max(0, number);
}
