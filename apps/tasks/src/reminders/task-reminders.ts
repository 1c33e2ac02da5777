import { Injectable } from '@nestjs/common';
import type { OwnedReminder } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { AlarmClock, Clock } from '@groupware/service-kit';
import { ReminderRepository, type Reminder } from './reminder.repository';

/** Sets and changes the reminders of users. */
@Injectable()
export class TaskReminders {
  constructor(
    private readonly reminders: ReminderRepository,
    private readonly alarms: AlarmClock,
    private readonly clock: Clock,
  ) {}

  /** Sets (ms UTC) or removes (null) the alarm of a user on a task. */
  setAlarm(tx: Transaction, taskId: number, userId: number, alarmMs: number | null): void {
    if (alarmMs === null) return this.reminders.remove(tx, taskId, userId);
    this.reminders.setAlarm(tx, taskId, userId, alarmMs, this.clock.now());
    tx.afterCommit(() => this.alarms.scheduleBy(alarmMs));
  }

  /** Changes those of these reminders that a user has; with a time they come again, without they are not due any more. */
  async change(
    tx: Transaction,
    userId: number,
    ids: readonly number[],
    change: { readonly state: number; readonly remindMs: number | null },
  ): Promise<OwnedReminder[]> {
    const changed = await this.reminders.change(tx, userId, ids, change, this.clock.now());
    const { remindMs } = change;
    if (remindMs !== null) tx.afterCommit(() => this.alarms.scheduleBy(remindMs));
    return changed.map(toOwnedReminder);
  }
}

/** A reminder as the service that answers clients takes it. */
export const toOwnedReminder = ({ id, taskId, folderId, remindMs, lastModified }: Reminder): OwnedReminder => ({
  id,
  targetId: taskId,
  folderId,
  alarm: remindMs,
  lastModified,
  position: 0,
});
