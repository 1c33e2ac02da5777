import { ZoneOffsets } from '@groupware/recurrence';
import type { Appointment } from '../domain/appointment';

/** State of a reminder: waiting for its time, notified, snoozed, or deleted by the user. */
export const REMINDER_STATE = { waiting: 0, notified: 1, snoozed: 2, deleted: 3 } as const;

/** `occurrence` of what is no series. */
export const NO_OCCURRENCE = -Number.MAX_SAFE_INTEGER;

/** One alarm of one user, of a series that of one occurrence, before it is stored. */
export interface NewReminder {
  readonly userId: number;
  /** The appointment: of a series the master, or the exception. */
  readonly targetId: number;
  /** Series to which the target belongs, else the target: with `occurrence` it tells alarms apart. */
  readonly rootId: number;
  /** Original start (local ms), {@link NO_OCCURRENCE} for what is no series. */
  readonly occurrence: number;
  /** Number of the occurrence, 0 unless a series. */
  readonly position: number;
  /** Instant, or wall-clock ms with `floating`. */
  readonly startMs: number;
  readonly endMs: number;
  /** Whole days and times without zone: they begin when the user's clock says so. */
  readonly floating: boolean;
  /** Minutes before the start. */
  readonly minutes: number;
  /** Time of the alarm, ms UTC; for a waiting floating one the earliest time in any zone. */
  readonly alarmMs: number;
  /** Time of the next look at the reminder, ms UTC; null when nothing is left to do. */
  readonly dueMs: number | null;
  readonly state: number;
  /** Time of planning, ms UTC: alarms of what had begun by then are skipped. */
  readonly plannedMs: number;
}

/** A stored reminder. */
export interface Reminder extends NewReminder {
  readonly id: number;
  readonly lastModified: number;
}

const MINUTE_MS = 60_000;
/** An hour, ms. */
export const HOUR_MS = 60 * MINUTE_MS;
/** A wall-clock time comes first where clocks are furthest ahead of UTC, ms … */
export const FURTHEST_AHEAD_MS = 14 * HOUR_MS;
/** … and last where they are furthest behind. */
const FURTHEST_BEHIND_MS = 12 * HOUR_MS;

/** Fields that determine the time of an alarm. */
type Timing = Pick<NewReminder, 'startMs' | 'floating' | 'minutes'>;

/** The instant at which something starts for a user. */
export const startInstant = ({ startMs, floating }: Pick<Timing, 'startMs' | 'floating'>, zone: string): number =>
  floating ? ZoneOffsets.forZone(zone).localToInstant(startMs) : startMs;

/** Time of an alarm, ms UTC: the given minutes before the start, clock changes ignored. */
export const alarmInstant = (timing: Timing, zone: string): number =>
  startInstant(timing, zone) - timing.minutes * MINUTE_MS;

/** The earliest moment at which a user in any zone may have to be told. */
export const earliestAlarm = ({ startMs, floating, minutes }: Timing): number =>
  startMs - minutes * MINUTE_MS - (floating ? FURTHEST_AHEAD_MS : 0);

/** Starts before this moment have passed for users in all zones; with `floating` wall-clock ms. */
export const passedLimit = (floating: boolean, now: number): number => (floating ? now - FURTHEST_BEHIND_MS : now);

/** True when an alarm need not be planned anew. */
export const hasSameTiming = (a: Timing, b: Timing): boolean =>
  a.startMs === b.startMs && a.floating === b.floating && a.minutes === b.minutes;

/** Users with an alarm, and their minutes. */
export function listAlarms({ attendees }: Pick<Appointment, 'attendees'>): Map<number, number> {
  return new Map(
    attendees.flatMap(({ type, entity, alarm }) =>
      type === 1 && entity !== null && alarm !== null && alarm >= 0 ? [[entity, alarm] as const] : [],
    ),
  );
}
