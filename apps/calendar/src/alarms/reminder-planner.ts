import { Injectable } from '@nestjs/common';
import type { Transaction } from '@groupware/persistence';
import { AlarmClock, Clock } from '@groupware/service-kit';
import { type Appointment, isException } from '../domain/appointment';
import { listAlarms } from './reminder';
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
}

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
