import { occurrencesBetween, ZoneOffsets } from '@groupware/recurrence';
import { type Recurring, seriesOf } from './series';

/** A stretch of time, ms UTC; the end is exclusive. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The times of an appointment that overlap a range, cut to it; floating times and whole days are taken in the zone of whoever
 * attends. Something of no length keeps nobody busy. At most so many.
 */
export function stretchesOf(
  recurring: Recurring & { readonly isSeries: boolean },
  zone: string,
  range: Stretch,
  limit: number,
): Stretch[] {
  const { floating, startMs, endMs } = recurring;
  const offsets = ZoneOffsets.of(zone);
  const instant = (ms: number): number => (floating ? offsets.localToInstant(ms) : ms);
  const series = seriesOf(recurring);
  const times: readonly Stretch[] = recurring.isSeries
    ? occurrencesBetween(floating ? { ...series, timeZone: zone } : series, range.startMs, range.endMs, { limit })
    : [{ startMs: instant(startMs), endMs: instant(endMs) }];
  return times.flatMap((time) => {
    const start = Math.max(time.startMs, range.startMs);
    const end = Math.min(time.endMs, range.endMs);
    return start < end ? [{ startMs: start, endMs: end }] : [];
  });
}
