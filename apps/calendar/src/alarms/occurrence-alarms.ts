import { isOccurrence, nextAfter, positionOf, RecurrenceError, ZoneOffsets } from '@groupware/recurrence';
import { type Recurring, seriesOf, zoneOf } from '../domain/series';
import { earliestAlarm, type NewReminder, REMINDER_STATE } from './reminder';

/** An alarm of a user on a series. */
export interface SeriesAlarm {
  readonly userId: number;
  readonly seriesId: number;
  readonly minutes: number;
  readonly recurring: Recurring;
}

/**
 * The alarm of the first occurrence that starts after `afterMs` (wall-clock ms for floating series) and is not among
 * `taken` (original starts, local ms). Undefined when the series is over, or is too complex to tell.
 */
export function findNextAlarm(
  { userId, seriesId, minutes, recurring }: SeriesAlarm,
  afterMs: number,
  taken: ReadonlySet<number>,
  now: number,
): NewReminder | undefined {
  const series = seriesOf(recurring);
  try {
    let next = nextAfter(series, afterMs);
    while (next && taken.has(next.localMs)) next = nextAfter(series, next.startMs);
    if (!next) return undefined;
    const { startMs, endMs, localMs } = next;
    const alarmMs = earliestAlarm({ startMs, floating: recurring.floating, minutes });
    return {
      userId,
      targetId: seriesId,
      rootId: seriesId,
      occurrence: localMs,
      position: positionOf(series, localMs) ?? 0,
      startMs,
      endMs,
      floating: recurring.floating,
      minutes,
      alarmMs,
      dueMs: alarmMs,
      state: REMINDER_STATE.waiting,
      plannedMs: now,
    };
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}

/** Start of an occurrence as reminders keep it; undefined when the series has none such (any more). */
export function findOccurrenceStart(recurring: Recurring, localMs: number): number | undefined {
  try {
    return isOccurrence(seriesOf(recurring), localMs)
      ? ZoneOffsets.forZone(zoneOf(recurring)).localToInstant(localMs)
      : undefined;
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}
