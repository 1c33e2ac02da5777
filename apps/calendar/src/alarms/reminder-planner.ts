import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';
import { AlarmClock, Clock } from '@groupware/service-kit';
import { type Appointment, findAttendee, isException, PARTICIPANT } from '../domain/appointment';
import { listSnoozeTimes } from '../events/event-alarms';
import { listAlarms, type Reminder, REMINDER_STATE } from './reminder';
import { planReminders } from './reminder-plan';
import { ReminderRepository } from './reminder.repository';
import { TriggerPlanner } from './trigger-planner';

/** Appointments of one transaction, as they are now. */
export interface PlannedChanges {
  readonly created: readonly Appointment[];
  readonly changed: readonly { readonly before: Appointment; readonly after: Appointment }[];
}

/**
 * Keeps the stored reminders and triggers in step with appointments, in the transaction that writes them. Costs nothing
 * where no user has an alarm. Reminders of deleted appointments go with them.
 */
@Injectable()
export class ReminderPlanner {
  constructor(
    private readonly reminders: ReminderRepository,
    private readonly triggers: TriggerPlanner,
    private readonly alarms: AlarmClock,
    private readonly clock: Clock,
  ) {}

  /** To be called after the appointments were written: their rows must be locked. */
  async planReminders(tx: Transaction, { created, changed }: PlannedChanges, stamp: number): Promise<void> {
    await this.triggers.planTriggers(tx, { created, changed });
    await this.endSnoozes(tx, changed, stamp);
    const now = this.clock.now();
    const fresh = created.filter((appointment) => listAlarms(appointment).size > 0);
    const touched = changed.filter((change) => remindersDiffer(change)).map(({ after }) => after);
    const appointments = [...fresh, ...touched];
    if (appointments.length === 0) return;
    const roots = appointments.filter(isException).map(({ seriesId }) => seriesId!);
    const stored =
      touched.length + roots.length > 0
        ? await this.reminders.listByTargets(
            tx,
            touched.map(({ id }) => id),
            roots,
          )
        : [];
    const { removed, renamed, added } = await planReminders(appointments, stored, now);
    this.reminders.remove(tx, removed);
    this.reminders.update(tx, renamed);
    this.reminders.insert(
      tx,
      added.map((reminder) => ({ ...reminder, lastModified: stamp })),
    );
    const first = Math.min(...added.map(({ alarmMs }) => alarmMs));
    if (Number.isFinite(first)) tx.afterCommit(() => this.alarms.scheduleBy(first));
  }

  /** Ends the reminders of alarms that were snoozed, where the repetition is no longer among the alarms of the user. */
  private async endSnoozes(tx: Transaction, changed: PlannedChanges['changed'], stamp: number): Promise<void> {
    const dropped = changed.flatMap(listDroppedSnoozes);
    if (dropped.length === 0) return;
    const targets = [...new Set(dropped.map(({ targetId }) => targetId))];
    const isOver = ({ targetId, userId, alarmMs, state }: Reminder): boolean =>
      (state === REMINDER_STATE.snoozed || state === REMINDER_STATE.notified) &&
      dropped.some((each) => each.targetId === targetId && each.userId === userId && each.timeMs === alarmMs);
    const over = (await this.reminders.listByTargets(tx, targets, [])).filter(isOver);
    this.reminders.update(
      tx,
      over.map((reminder) => ({ ...reminder, state: REMINDER_STATE.deleted, dueMs: null, lastModified: stamp })),
    );
  }
}

/** Times of repetitions of the alarm that appointments know, of all users, that a change takes away. */
const listDroppedSnoozes = ({ before, after }: PlannedChanges['changed'][number]) =>
  before.attendees.flatMap((attendee) => {
    const { type, entity } = attendee;
    if (type !== PARTICIPANT.user || entity === null) return [];
    const times = listSnoozeTimes(before, attendee);
    if (times.length === 0) return [];
    const kept = listSnoozeTimes(after, findAttendee(after, entity));
    return times
      .filter((timeMs) => !kept.includes(timeMs))
      .map((timeMs) => ({ targetId: after.id, userId: entity, timeMs }));
  });

/** Everything that decides about alarms, as text. */
const describeTiming = (appointment: Appointment): string => {
  const { startMs, endMs, timeZone, floating, fullTime, rule, rdates, exdates, changes } = appointment;
  const { seriesId, recurrenceLocalMs, position } = appointment;
  return JSON.stringify([
    [
      startMs,
      endMs,
      timeZone,
      floating,
      fullTime,
      rule,
      rdates,
      exdates,
      changes,
      seriesId,
      recurrenceLocalMs,
      position,
    ],
    [...listAlarms(appointment)],
  ]);
};

function remindersDiffer({ before, after }: PlannedChanges['changed'][number]): boolean {
  if (listAlarms(before).size === 0 && listAlarms(after).size === 0) return false;
  return describeTiming(before) !== describeTiming(after);
}
