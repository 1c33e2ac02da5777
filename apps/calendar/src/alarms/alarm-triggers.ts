import { nextAfter, RecurrenceError, ZoneOffsets } from '@groupware/recurrence';
import type { AlarmData } from '@groupware/contracts';
import { type Appointment, isSeries } from '../domain/appointment';
import { DAY_MS } from '../domain/local-days';
import { seriesOf } from '../domain/series';
import { parseDuration } from '../events/event-alarms';
import type { StoredAlarm } from '../events/event-rest';
import { parseIcalendarTime } from '../events/event-time';

/** One time of an alarm. */
export interface AlarmTime {
  /** ms UTC. */
  readonly timeMs: number;
  /** Original start of the occurrence, local ms. */
  readonly localMs?: number;
}

/** Most occurrences that are looked at for one time: floating ones may lie a day apart from their wall-clock. */
const MAX_STEPS = 200;

/**
 * Finds the next time of an alarm that is not over; undefined when none is left, or the series is too complex to tell.
 * @param zone of the user, for whole days and times without zone
 * @param sinceMs times before this moment are forgotten, ms UTC
 */
export function findNextTime(
  appointment: Appointment,
  alarm: StoredAlarm,
  zone: string,
  sinceMs: number,
): AlarmTime | undefined {
  const { trigger, doneUntil = sinceMs } = alarm;
  const over = Math.max(doneUntil, sinceMs);
  if (trigger?.dateTime) {
    const timeMs = parseIcalendarTime(trigger.dateTime)?.ms;
    return timeMs !== undefined && timeMs > over ? { timeMs } : undefined;
  }
  const offsetMs = parseDuration(trigger?.duration ?? '');
  if (offsetMs === undefined) return undefined;
  const isFromEnd = trigger?.related === 'END';
  const { floating } = appointment;
  const toTime = ({ startMs, endMs }: { startMs: number; endMs: number }): number => {
    const base = isFromEnd ? endMs : startMs;
    return (floating ? ZoneOffsets.forZone(zone).localToInstant(base) : base) + offsetMs;
  };
  if (!isSeries(appointment)) {
    const timeMs = toTime(appointment);
    return timeMs > over ? { timeMs } : undefined;
  }
  return findNextOfSeries(appointment, toTime, over, offsetMs);
}

function findNextOfSeries(
  appointment: Appointment,
  toTime: (occurrence: { startMs: number; endMs: number }) => number,
  over: number,
  offsetMs: number,
): AlarmTime | undefined {
  const length = appointment.endMs - appointment.startMs;
  try {
    const series = seriesOf(appointment);
    let next = nextAfter(series, over - offsetMs - length - DAY_MS);
    for (let step = 0; next && step < MAX_STEPS; step++) {
      const timeMs = toTime(next);
      if (timeMs > over) return { timeMs, localMs: next.localMs };
      next = nextAfter(series, next.startMs);
    }
    return undefined;
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}

/** Whether an alarm repeats another one that was snoozed. */
export const isSnoozeOf = ({ relatedTo }: AlarmData, uid: string | undefined): boolean =>
  uid !== undefined && relatedTo?.relType === 'SNOOZE' && relatedTo.value === uid;
