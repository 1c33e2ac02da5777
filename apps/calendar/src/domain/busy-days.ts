import { type ExpansionBudget, occurrencesBetween, type ZoneOffsets } from '@groupware/recurrence';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { DAY_MS, dayOf } from './local-days';
import type { KnownSeries } from './series-text';

/** Occurrences looked at before days that they fill are passed over. */
const PIECE = 256;

/**
 * Marks the days that a series touches. Day 0 begins at `startLocalMs` on the clock of the zone, which must be midnight.
 * Costs what the days cost that nothing touched before, however dense the series is.
 */
export async function markDays(
  touched: boolean[],
  { recurring, series }: Pick<KnownSeries, 'recurring' | 'series'>,
  startLocalMs: number,
  zone: ZoneOffsets,
  budget: ExpansionBudget,
): Promise<void> {
  const local = (ms: number): number => (recurring.floating ? ms : zone.instantToLocal(ms));
  const bound = (day: number): number => {
    const ms = startLocalMs + day * DAY_MS;
    return recurring.floating ? ms : zone.localToInstant(ms);
  };
  const dayIndex = (ms: number): number => (dayOf(ms) - startLocalMs) / DAY_MS;
  const end = bound(touched.length);
  for (let day = touched.indexOf(false); day >= 0;) {
    if (isTurnOver()) await yieldToEventLoop();
    const from = bound(day);
    const found = budget.spend((steps) => occurrencesBetween(series, from, end, { limit: PIECE, steps }));
    for (const { startMs, endMs } of found) {
      const first = local(startMs);
      const last = Math.min(dayIndex(Math.max(local(endMs) - 1, first)), touched.length - 1);
      for (let index = Math.max(dayIndex(first), 0); index <= last; index++) touched[index] = true;
    }
    if (found.length < PIECE) return;
    // Later days are looked at from their own midnight: what touches them is found there.
    day = touched.indexOf(false, Math.max(dayIndex(local(found.at(-1)!.startMs)), day) + 1);
  }
}
