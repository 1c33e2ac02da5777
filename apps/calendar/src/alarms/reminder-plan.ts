import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { type Appointment, isException, isSeries } from '../domain/appointment';
import { findNextAlarm, findOccurrenceStart } from './occurrence-alarms';
import {
  listAlarms,
  earliestAlarm,
  type NewReminder,
  NO_OCCURRENCE,
  passedLimit,
  type Reminder,
  REMINDER_STATE,
  hasSameTiming,
} from './reminder';

/** Changes to the stored reminders of some appointments. */
export interface ReminderPlan {
  /** Ids of reminders of what is no longer so. */
  readonly removed: readonly number[];
  /** The same alarm under another name: an occurrence that became an exception. */
  readonly renamed: readonly Reminder[];
  readonly added: readonly NewReminder[];
}

/**
 * Compares appointments as they are now with their stored reminders. A reminder whose time did not change keeps its state,
 * so that no alarm comes twice; alarms of what has begun are not planned.
 */
export async function planReminders(
  appointments: readonly Appointment[],
  stored: readonly Reminder[],
  now: number,
): Promise<ReminderPlan> {
  const kept = new Set<number>();
  const renamed: Reminder[] = [];
  const added: NewReminder[] = [];
  // Series come last: what an exception took over from its series is no longer the series' own.
  const ordered = [...appointments].sort((a, b) => Number(isSeries(a)) - Number(isSeries(b)));
  for (const appointment of ordered) {
    if (isTurnOver()) await yieldToEventLoop();
    for (const [userId, minutes] of listAlarms(appointment)) {
      if (isSeries(appointment)) {
        const own = stored.filter(
          (reminder) =>
            reminder.userId === userId && reminder.targetId === appointment.id && !renamed.some(same(reminder)),
        );
        planSeries(appointment, { userId, minutes }, own, now, kept, added);
        continue;
      }
      const wanted = singleAlarm(appointment, userId, minutes, now);
      const known = stored.find((reminder) => reminder.userId === userId && isOf(reminder, appointment, wanted));
      if (known && hasSameTiming(known, wanted)) {
        kept.add(known.id);
        if (known.targetId !== wanted.targetId || known.rootId !== wanted.rootId || known.position !== wanted.position)
          renamed.push({ ...known, ...nameOf(wanted) });
      } else if (wanted.startMs >= passedLimit(wanted.floating, now)) added.push(wanted);
    }
  }
  const planned = new Set(appointments.map(({ id }) => id));
  return {
    removed: stored.filter(({ id, targetId }) => planned.has(targetId) && !kept.has(id)).map(({ id }) => id),
    renamed,
    added,
  };
}

const same =
  ({ id }: Reminder) =>
  (other: Reminder): boolean =>
    other.id === id;

const nameOf = ({ targetId, rootId, occurrence, position, endMs }: NewReminder) => ({
  targetId,
  rootId,
  occurrence,
  position,
  endMs,
});

/** A reminder of the appointment itself, or of the occurrence from which it was made. */
const isOf = (reminder: Reminder, appointment: Appointment, wanted: NewReminder): boolean =>
  reminder.targetId === appointment.id ||
  (isException(appointment) && reminder.rootId === wanted.rootId && reminder.occurrence === wanted.occurrence);

function singleAlarm(appointment: Appointment, userId: number, minutes: number, now: number): NewReminder {
  const { id, startMs, endMs, floating } = appointment;
  const alarmMs = earliestAlarm({ startMs, floating, minutes });
  return {
    userId,
    targetId: id,
    rootId: appointment.seriesId ?? id,
    occurrence: appointment.recurrenceLocalMs ?? NO_OCCURRENCE,
    position: appointment.position ?? 0,
    startMs,
    endMs,
    floating,
    minutes,
    alarmMs,
    dueMs: alarmMs,
    state: REMINDER_STATE.waiting,
    plannedMs: now,
  };
}

function planSeries(
  series: Appointment,
  { userId, minutes }: { userId: number; minutes: number },
  stored: readonly Reminder[],
  now: number,
  kept: Set<number>,
  added: NewReminder[],
): void {
  const valid = stored.filter((reminder) => {
    const startMs = findOccurrenceStart(series, reminder.occurrence);
    return startMs !== undefined && hasSameTiming(reminder, { startMs, floating: series.floating, minutes });
  });
  const over = valid.filter(({ state }) => state !== REMINDER_STATE.waiting);
  for (const { id } of over) kept.add(id);
  const next = findNextAlarm(
    { userId, seriesId: series.id, minutes, recurring: series },
    passedLimit(series.floating, now) - 1,
    new Set(over.map(({ occurrence }) => occurrence)),
    now,
  );
  const waiting = valid.find(({ state }) => state === REMINDER_STATE.waiting);
  // Alarms that passed during an outage come late.
  if (waiting && (!next || waiting.startMs <= next.startMs)) kept.add(waiting.id);
  else if (next) added.push(next);
}
