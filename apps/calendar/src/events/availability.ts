import { CalendarErrors, type AvailableTimeData, type DateTimeData } from '@groupware/contracts';
import type { CalendarTime } from '@groupware/icalendar';
import { type ExpansionBudget, type Series, validateSeries } from '@groupware/recurrence';
import { listBusyTimes, type Period, toInstant } from '../domain/busy-periods';
import { mapRecurrenceErrors } from '../domain/recurrence-input';
import { seriesOf } from '../domain/series';
import { toInstant as toStoredMs } from '../icalendar/from-event';
import type { AvailableTime } from '../persistence/availability.repository';
import { parseDateTime } from './event-time';

interface Times {
  readonly startMs: number;
  readonly endMs: number;
  readonly floating: boolean;
  readonly series: Series | undefined;
}

/** Refuses times that make no sense: CAL-4220, CAL-4221, CAL-4229, CAL-4002, CAL-4006. */
export function requireValidTime({ start, end, rrule }: AvailableTimeData, userZone: string): void {
  if (!start) throw CalendarErrors.fieldMissing('start');
  if (!end) throw CalendarErrors.fieldMissing('end');
  const [from, to] = [parseTime('start', start, userZone), parseTime('end', end, userZone)];
  if (isFloating(from) !== isFloating(to) || (from.kind === 'date') !== (to.kind === 'date'))
    throw CalendarErrors.mixedTimes('');
  if (toStoredMs(to) < toStoredMs(from)) throw CalendarErrors.endBeforeStart();
  if (!rrule) return;
  mapRecurrenceErrors(() => validateSeries(toTimes({ rrule, starts: start, ends: end }, userZone).series!));
}

/** Periods of a range in which a user who is available at some times is not. */
export function listUnavailable(
  times: readonly Pick<AvailableTime, 'rrule' | 'starts' | 'ends'>[],
  zone: string,
  range: Period,
  limit: number,
  budget: ExpansionBudget,
): Period[] {
  if (times.length === 0) return [];
  const available = times
    .flatMap((time) => expand(toTimes(time, zone), zone, range, limit, budget))
    .sort((a, b) => a.startMs - b.startMs);
  const gaps: Period[] = [];
  let fromMs = range.startMs;
  for (const { startMs, endMs } of available) {
    if (startMs > fromMs) gaps.push({ startMs: fromMs, endMs: Math.min(startMs, range.endMs) });
    fromMs = Math.max(fromMs, endMs);
  }
  if (fromMs < range.endMs) gaps.push({ startMs: fromMs, endMs: range.endMs });
  return gaps;
}

function expand(
  { startMs, endMs, floating, series }: Times,
  zone: string,
  range: Period,
  limit: number,
  budget: ExpansionBudget,
): readonly Period[] {
  if (series) return listBusyTimes(series, { floating, zone }, range, limit, budget);
  const period = { startMs: toInstant(startMs, floating, zone), endMs: toInstant(endMs, floating, zone) };
  return period.startMs < range.endMs && period.endMs > range.startMs ? [period] : [];
}

function toTimes({ rrule, starts, ends }: Pick<AvailableTime, 'rrule' | 'starts' | 'ends'>, zone: string): Times {
  const [from, to] = [parseTime('start', starts, zone), parseTime('end', ends, zone)];
  const recurring = {
    startMs: toStoredMs(from),
    endMs: toStoredMs(to),
    timeZone: from.kind === 'zoned' ? from.timeZone! : from.kind === 'utc' ? 'UTC' : zone,
    fullTime: from.kind === 'date',
    floating: isFloating(from),
    rule: rrule ?? null,
    rdates: null,
    exdates: null,
  };
  return { ...recurring, series: rrule ? seriesOf(recurring) : undefined };
}

const isFloating = ({ kind }: CalendarTime): boolean => kind === 'date' || kind === 'floating';

function parseTime(name: string, value: DateTimeData, userZone: string): CalendarTime {
  const time = parseDateTime(value, userZone);
  if (!time) throw CalendarErrors.badData(name, value.value);
  return time;
}
