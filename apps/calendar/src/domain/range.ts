import type { ZoneOffsets } from '@groupware/recurrence';

/** A range of time as a request gives it. */
export interface Range {
  /** Instants, ms UTC: for appointments with a zone. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Wall-clock ms: for whole days and floating appointments. */
  readonly localFromMs: number;
  readonly localToMs: number;
  /** Only what lies in the range, or everything that touches it. */
  readonly mode: 'contained' | 'overlap';
}

/** The range of a request: `start` and `end` are times on the clock of its zone. */
export const toRange = (start: number, end: number, zone: ZoneOffsets, mode: Range['mode']): Range => ({
  fromMs: zone.localToInstant(start),
  toMs: zone.localToInstant(end),
  localFromMs: start,
  localToMs: end,
  mode,
});

/** True when a time (instant, or wall clock with `floating`) belongs to the range. */
export function isInRange(range: Range, startMs: number, endMs: number, floating: boolean): boolean {
  const from = floating ? range.localFromMs : range.fromMs;
  const to = floating ? range.localToMs : range.toMs;
  if (range.mode === 'contained') return startMs >= from && startMs < to && endMs <= to;
  return startMs < to && (endMs > from || startMs >= from);
}
