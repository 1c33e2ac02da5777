import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { AlarmClock, Clock } from '@groupware/service-kit';
import { isSeries } from '../domain/appointment';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { findNextAlarm } from './occurrence-alarms';
import { type Reminder, REMINDER_STATE } from './reminder';
import { ReminderRepository, type ShownReminder } from './reminder.repository';

/** Changes a user makes to his reminders. */
@Injectable()
export class OwnReminders {
  constructor(
    private readonly reminders: ReminderRepository,
    private readonly appointments: AppointmentRepository,
    private readonly alarms: AlarmClock,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes those of these reminders that the user has, and answers them as they are now. Of a series whose occurrence had
   * not come yet the next one gets its reminder.
   */
  async updateReminders(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
    change: Pick<Reminder, 'state' | 'dueMs'> & Partial<Pick<Reminder, 'alarmMs'>>,
  ): Promise<ShownReminder[]> {
    const own = await this.reminders.lockOwn(tx, user.userId, ids);
    if (own.length === 0) return [];
    const settled = own.map((reminder) => ({ ...reminder, ...change, lastModified: this.clock.now() }));
    this.reminders.update(tx, settled);
    await this.advanceSeries(
      tx,
      user.userId,
      own.filter(({ state, position }) => state === REMINDER_STATE.waiting && position > 0),
    );
    const { dueMs } = change;
    if (dueMs !== null) tx.afterCommit(() => this.alarms.scheduleBy(dueMs));
    return settled;
  }

  /** Opens the last reminder of a user for an appointment again, at a time to come, ms UTC. Nothing where there was none. */
  async reopenLast(tx: Transaction, userId: number, targetId: number, alarmMs: number): Promise<void> {
    const own = (await this.reminders.listByTargets(tx, [targetId], [])).filter((each) => each.userId === userId);
    const [last] = own.sort((one, other) => other.alarmMs - one.alarmMs);
    if (!last) return;
    const snoozed = { state: REMINDER_STATE.snoozed, alarmMs, dueMs: alarmMs, lastModified: this.clock.now() };
    this.reminders.update(tx, [{ ...last, ...snoozed }]);
    tx.afterCommit(() => this.alarms.scheduleBy(alarmMs));
  }

  private async advanceSeries(tx: Transaction, userId: number, passed: readonly ShownReminder[]): Promise<void> {
    if (passed.length === 0) return;
    const now = this.clock.now();
    const targets = await this.appointments.listByIds(
      tx,
      passed.map(({ targetId }) => targetId),
    );
    const series = new Map(targets.filter(isSeries).map((appointment) => [appointment.id, appointment]));
    const taken = await this.reminders.listTakenOccurrences(tx, userId, [...series.keys()]);
    const next = passed.flatMap(({ targetId, minutes, startMs }) => {
      const recurring = series.get(targetId);
      if (!recurring) return [];
      const had = new Set(taken.filter(([, root]) => root === targetId).map(([, , , occurrence]) => occurrence));
      return findNextAlarm({ userId, seriesId: targetId, minutes, recurring }, startMs, had, now) ?? [];
    });
    this.reminders.insert(
      tx,
      next.map((reminder) => ({ ...reminder, lastModified: now })),
    );
    const first = Math.min(...next.map(({ alarmMs }) => alarmMs));
    if (Number.isFinite(first)) tx.afterCommit(() => this.alarms.scheduleBy(first));
  }
}
