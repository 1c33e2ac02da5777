import { nextAfter, RecurrenceError, ZoneOffsets } from '@groupware/recurrence';
import { ALARM_MAIL_SHIFT_MS, type AlarmData } from '@groupware/contracts';
import type { Properties } from '@groupware/service-kit';
import { type Appointment, isSeries } from '../domain/appointment';
import { DAY_MS } from '../domain/local-days';
import { type Recurring, seriesOf } from '../domain/series';
import { parseDuration } from '../events/event-alarms';
import { parseIcalendarTime } from '../events/event-time';
import { FURTHEST_AHEAD_MS } from './reminder';

/** Fields of an event that decide when its alarms go off. */
export interface AlarmedEvent extends Pick<Appointment, 'startMs' | 'endMs' | 'floating'> {
  /** Set for a series. */
  readonly recurring: Recurring | null;
}

/** One time of an alarm. */
export interface AlarmTime {
  /** ms UTC. */
  readonly timeMs: number;
  /** The same on the clock of the user (ms as if UTC) where that decides, else `timeMs`. */
  readonly clockMs: number;
  /** Original start of the occurrence, local ms. */
  readonly localMs?: number;
  /** Start of the event or occurrence; wall-clock ms for whole days and floating times. */
  readonly startMs: number;
  /** Its exclusive end, likewise. */
  readonly endMs: number;
}

/** Times of an alarm that are over. */
export interface ElapsedTimes {
  /** Those until this moment, ms UTC. */
  readonly untilMs: number;
  /** Those until this {@link AlarmTime.clockMs}: the user was told of them, wherever he was. */
  readonly notifiedMs?: number | null;
}

/** The moment at which a user's clock shows a time. */
export type ToInstant = (clockMs: number) => number;

/** Most occurrences that are looked at for one time: floating ones may lie a day apart from their wall-clock. */
const MAX_STEPS = 200;

/** The clock of a zone. */
export const clockOf =
  (zone: string): ToInstant =>
  (clockMs) =>
    ZoneOffsets.forZone(zone).localToInstant(clockMs);

/** The clock that is ahead of all others: no user is told earlier. */
export const earliestClock: ToInstant = (clockMs) => clockMs - FURTHEST_AHEAD_MS;

/** How much earlier than their time alarms are told of, ms: mails need time on their way. */
export const shiftOf = ({ action }: Pick<AlarmData, 'action'>, properties: Pick<Properties, 'serverValue'>): number =>
  action === 'EMAIL' ? properties.serverValue(ALARM_MAIL_SHIFT_MS) : 0;

/** Fields of an appointment that decide when its alarms go off. */
export const toAlarmedEvent = (appointment: Appointment): AlarmedEvent => ({
  startMs: appointment.startMs,
  endMs: appointment.endMs,
  floating: appointment.floating,
  recurring: isSeries(appointment) ? appointment : null,
});

/**
 * Finds the next time of an alarm that is not over; undefined when none is left, or the series is too complex to tell.
 * @param toInstant the clock of the user, for whole days and times without zone
 */
export function findNextTime(
  event: AlarmedEvent,
  { trigger }: Pick<AlarmData, 'trigger'>,
  toInstant: ToInstant,
  { untilMs, notifiedMs }: ElapsedTimes,
): AlarmTime | undefined {
  const isLeft = ({ timeMs, clockMs }: AlarmTime): boolean => timeMs > untilMs && clockMs > (notifiedMs ?? -Infinity);
  const { startMs, endMs, floating, recurring } = event;
  if (trigger?.dateTime) {
    const timeMs = parseIcalendarTime(trigger.dateTime)?.ms;
    const time = timeMs === undefined ? undefined : { timeMs, clockMs: timeMs, startMs, endMs };
    return time && isLeft(time) ? time : undefined;
  }
  const offsetMs = parseDuration(trigger?.duration ?? '');
  if (offsetMs === undefined) return undefined;
  const isFromEnd = trigger?.related === 'END';
  const toTime = (occurrence: { startMs: number; endMs: number; localMs?: number }): AlarmTime => {
    const base = isFromEnd ? occurrence.endMs : occurrence.startMs;
    const timeMs = (floating ? toInstant(base) : base) + offsetMs;
    return { ...occurrence, timeMs, clockMs: floating ? base + offsetMs : timeMs };
  };
  if (!recurring) {
    const time = toTime({ startMs, endMs });
    return isLeft(time) ? time : undefined;
  }
  const length = isFromEnd ? endMs - startMs : 0;
  const overMs = Math.max(untilMs - DAY_MS, (notifiedMs ?? -Infinity) - 1);
  return findNextOfSeries(recurring, overMs - offsetMs - length, toTime, isLeft);
}

function findNextOfSeries(
  recurring: Recurring,
  afterMs: number,
  toTime: (occurrence: { startMs: number; endMs: number; localMs: number }) => AlarmTime,
  isLeft: (time: AlarmTime) => boolean,
): AlarmTime | undefined {
  try {
    const series = seriesOf(recurring);
    let next = nextAfter(series, afterMs);
    for (let step = 0; next && step < MAX_STEPS; step++) {
      const { startMs, endMs, localMs } = next;
      const time = toTime({ startMs, endMs, localMs });
      if (isLeft(time)) return time;
      next = nextAfter(series, startMs);
    }
    return undefined;
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}
