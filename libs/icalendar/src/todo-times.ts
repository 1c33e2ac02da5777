import { ZoneOffsets } from '@groupware/recurrence';
import type { CalendarAlarm, CalendarTime, CalendarTodo } from './calendar-event';

const LAST_MINUTE_MS = 86_340_000;

/** Start and end of a VTODO as instants, or as days at UTC midnight. */
export interface TodoTimes {
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** Null without any time. */
  readonly fullTime: boolean | null;
  /** Zone of the clock on which it repeats. */
  readonly timeZone: string;
}

/** The instant of a time, ms UTC; UTC midnight of a day. @param zone zone of floating times */
const toInstant = ({ kind, localMs, timeZone }: CalendarTime, zone: string): number =>
  kind === 'date' || kind === 'utc' ? localMs : ZoneOffsets.forZone(timeZone ?? zone).localToInstant(localMs);

/**
 * Start and due time of a VTODO; where one is a day and the other a time, the day is its first or last minute. A series has both:
 * the one that it lacks is the other.
 * @param zone zone of floating times
 */
export function timesOfTodo(todo: Pick<CalendarTodo, 'start' | 'due' | 'rrule'>, zone: string): TodoTimes {
  const isSeries = todo.rrule !== undefined;
  const start = todo.start ?? (isSeries ? todo.due : undefined);
  const due = todo.due ?? (isSeries ? todo.start : undefined);
  const timed = [start, due].find((time) => time && time.kind !== 'date');
  if (!timed)
    return {
      startMs: start?.localMs ?? null,
      endMs: due?.localMs ?? null,
      fullTime: start || due ? true : null,
      timeZone: 'UTC',
    };
  const timeZone = timed.kind === 'utc' ? 'UTC' : (timed.timeZone ?? zone);
  const instantOf = (time: CalendarTime | undefined, minute: number): number | null => {
    if (!time) return null;
    return time.kind === 'date'
      ? ZoneOffsets.forZone(timeZone).localToInstant(time.localMs + minute)
      : toInstant(time, zone);
  };
  return { startMs: instantOf(start, 0), endMs: instantOf(due, LAST_MINUTE_MS), fullTime: false, timeZone };
}

/**
 * When an alarm of a VTODO goes off, ms UTC; null where it depends on a time that the VTODO lacks.
 * @param zone zone of days and floating times
 */
export function alarmInstant(
  { trigger }: Pick<CalendarAlarm, 'trigger'>,
  { start, due }: Pick<CalendarTodo, 'start' | 'due'>,
  zone: string,
): number | null {
  if (trigger.kind === 'absolute') return trigger.atMs;
  // Without DTSTART there is but one edge (RFC 5545 §3.8.6.3 asks for a start).
  const edge = trigger.relatedTo === 'END' ? (due ?? start) : (start ?? due);
  if (!edge) return null;
  const edgeMs = edge.kind === 'date' ? ZoneOffsets.forZone(zone).localToInstant(edge.localMs) : toInstant(edge, zone);
  return edgeMs + trigger.offsetMs;
}
