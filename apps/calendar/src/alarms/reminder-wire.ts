import { REMINDER_MODULE, type ReminderData } from '@groupware/contracts';
import { alarmInstant, REMINDER_STATE } from './reminder';
import type { ShownReminder } from './reminder.repository';

/** A reminder as clients see it; `zone` is that of the user, `now` ms UTC. */
export const reminderData = (reminder: ShownReminder, zone: string, now: number): ReminderData => ({
  id: reminder.id,
  target_id: reminder.targetId,
  folder: reminder.folderId,
  alarm: reminder.state === REMINDER_STATE.waiting ? alarmInstant(reminder, zone) : reminder.alarmMs,
  module: REMINDER_MODULE.calendar,
  server_time: now,
  user_id: reminder.userId,
  last_modified: reminder.lastModified,
  recurrence_position: reminder.position,
});
