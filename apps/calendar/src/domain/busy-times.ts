import {
  type ExpansionBudget,
  type Occurrence,
  occurrencesBetween,
  type Series,
  ZoneOffsets,
} from '@groupware/recurrence';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { type Appointment, ENDLESS, isSeries } from './appointment';
import { DAY_MS } from './local-days';
import { seriesOf, startLocalOf } from './series';

/**
 * Two series are compared over so many years at most unless they repeat together earlier: after 28 years days of the week
 * fall on the same days of the year again, so that what has not met by then is not going to (until a leap day is left
 * out, in 2100). No number of occurrences ends a comparison earlier.
 */
const HORIZON_MS = 28 * 366 * DAY_MS;
const YEAR_MS = 366 * DAY_MS;
/** Two series are expanded piece by piece, so that the first conflicts are found without expanding all. */
const PIECE_MS = 366 * DAY_MS;

/** Times of an appointment as instants; floating times are taken in the zone of the appointment it is compared with. */
export interface BusyTimes {
  readonly fromMs: number;
  readonly toMs: number;
  /** Set for series whose days repeat after so many days, whatever the calendar says, in the zone. */
  readonly cycle?: { readonly days: number; readonly timeZone: string };
  /** Times that overlap [fromMs, toMs), by their starts. */
  between(fromMs: number, toMs: number, budget: ExpansionBudget): readonly Occurrence[];
}

/** The busy times of an appointment. */
export function toBusyTimes(appointment: Appointment, zone: string): BusyTimes {
  const offsets = ZoneOffsets.forZone(zone);
  const instant = (ms: number): number => (appointment.floating && ms !== ENDLESS ? offsets.localToInstant(ms) : ms);
  const fromMs = instant(appointment.startMs);
  if (!isSeries(appointment)) {
    const only: Occurrence = { startMs: fromMs, endMs: instant(appointment.endMs), localMs: startLocalOf(appointment) };
    return {
      fromMs,
      toMs: only.endMs,
      between: (from, to) => (only.startMs < to && only.endMs > from ? [only] : []),
    };
  }
  const series: Series = appointment.floating ? { ...seriesOf(appointment), timeZone: zone } : seriesOf(appointment);
  return {
    fromMs,
    // A day more: floating times may end later in another zone.
    toMs: appointment.rangeEndMs === ENDLESS ? ENDLESS : appointment.rangeEndMs + (appointment.floating ? DAY_MS : 0),
    cycle: findCycle(series),
    between: (from, to, budget) =>
      budget.spend((steps) => occurrencesBetween(series, from, to, { positions: true, steps })),
  };
}

/** Finds times of `other` that overlap a time of `own` at or after an instant; at most so many. @throws RecurrenceError */
export async function findOverlaps(
  own: BusyTimes,
  other: BusyTimes,
  sinceMs: number,
  limit: number,
  budget: ExpansionBudget,
): Promise<Occurrence[]> {
  const from = Math.max(own.fromMs, other.fromMs, sinceMs);
  const to = Math.min(own.toMs, other.toMs, from + commonCycleMs(own, other));
  const found: Occurrence[] = [];
  // Both are open intervals here: something of no length is busy only inside of another.
  for (let start = from; start < to && found.length < limit; start += PIECE_MS) {
    const end = Math.min(start + PIECE_MS, to);
    if (isTurnOver()) await yieldToEventLoop();
    const mine = own.between(start, end, budget);
    if (mine.length === 0) continue;
    const latestEnds = runningMaxima(mine);
    for (const candidate of other.between(start, end, budget)) {
      if (found.length >= limit) break;
      if (found.at(-1)?.startMs === candidate.startMs) continue;
      // Of mine that begin before it ends, one must end after it begins.
      const before = countBefore(mine, candidate.endMs);
      if (before > 0 && latestEnds[before - 1]! > Math.max(candidate.startMs, sinceMs)) found.push(candidate);
    }
  }
  return found;
}

/** For each of some times in the order of their starts the latest end until there. */
function runningMaxima(times: readonly Occurrence[]): number[] {
  let latest = -Infinity;
  return times.map(({ endMs }) => (latest = Math.max(latest, endMs)));
}

/** Number of times, in the order of their starts, that begin before an instant. */
function countBefore(times: readonly Occurrence[], instantMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]!.startMs < instantMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Daily and weekly rules without further parts repeat after their interval. */
function findCycle({ rule, rdates, timeZone }: Series): BusyTimes['cycle'] {
  if (!rule || rdates?.length || (rule.frequency !== 'DAILY' && rule.frequency !== 'WEEKLY')) return undefined;
  const further = [rule.byMonth, rule.byMonthDay, rule.byYearDay, rule.byWeekNo, rule.bySetPos];
  if (further.some((part) => part !== undefined && part.length > 0)) return undefined;
  const days =
    rule.frequency === 'WEEKLY'
      ? 7 * rule.interval
      : rule.byDay?.length
        ? leastCommon(7, rule.interval)
        : rule.interval;
  return { days, timeZone };
}

/** After so long two series meet as they did before; a year more, so that every change of the clocks is looked at. */
function commonCycleMs(own: BusyTimes, other: BusyTimes): number {
  if (!own.cycle || own.cycle.timeZone !== other.cycle?.timeZone) return HORIZON_MS;
  return Math.min(HORIZON_MS, leastCommon(own.cycle.days, other.cycle.days) * DAY_MS + YEAR_MS);
}

const leastCommon = (a: number, b: number): number => (a / greatestCommon(a, b)) * b;
const greatestCommon = (a: number, b: number): number => (b === 0 ? a : greatestCommon(b, a % b));
