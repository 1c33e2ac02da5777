import { type Occurrence, occurrencesBetween, type Series, ZoneOffsets } from '@groupware/recurrence';
import { type Appointment, ENDLESS, isSeries } from './appointment';
import { DAY_MS } from './local-days';
import { seriesOf, startLocalOf } from './series';

/** Two series without end are compared over so many years at most. */
const HORIZON_MS = 10 * 366 * DAY_MS;
/** Two series are expanded piece by piece, so that the first conflicts are found without expanding all. */
const PIECE_MS = 366 * DAY_MS;

/** When an appointment takes place, as instants; floating times are taken in the zone of the appointment it is compared with. */
export interface BusyTimes {
  readonly fromMs: number;
  readonly toMs: number;
  /** Times that overlap [fromMs, toMs). */
  between(fromMs: number, toMs: number, limit: number): readonly Occurrence[];
}

/** The busy times of an appointment. */
export function busyTimesOf(appointment: Appointment, zone: string): BusyTimes {
  const offsets = ZoneOffsets.of(zone);
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
    between: (from, to, limit) => occurrencesBetween(series, from, to, { limit, positions: true }),
  };
}

/** Times of `other` that overlap a time of `own` at or after an instant; at most so many. */
export function overlaps(own: BusyTimes, other: BusyTimes, sinceMs: number, limit: number): Occurrence[] {
  const from = Math.max(own.fromMs, other.fromMs, sinceMs);
  const to = Math.min(own.toMs, other.toMs, from + HORIZON_MS);
  const found: Occurrence[] = [];
  // Both are open intervals here: something of no length is busy only inside of another.
  for (let start = from; start < to && found.length < limit; start += PIECE_MS) {
    const end = Math.min(start + PIECE_MS, to);
    const mine = own.between(start, end, Infinity);
    if (mine.length === 0) continue;
    for (const candidate of other.between(start, end, Infinity)) {
      if (found.length >= limit) break;
      if (found.at(-1)?.startMs === candidate.startMs) continue;
      if (mine.some((time) => time.endMs > sinceMs && time.startMs < candidate.endMs && time.endMs > candidate.startMs))
        found.push(candidate);
    }
  }
  return found;
}
