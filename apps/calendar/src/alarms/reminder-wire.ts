import { REMINDER_MODULE, type ReminderData } from '@groupware/contracts';
import { resolveTimeZone, type ZoneOffsets } from '@groupware/recurrence';
import { alarmInstant, REMINDER_STATE } from './reminder';
import type { ShownReminder } from './reminder.repository';

/** Due time of a reminder, ms UTC. Alarms of whole days follow `userZone`, the zone of the user. */
export const dueInstant = (reminder: ShownReminder, userZone: string): number =>
  reminder.state === REMINDER_STATE.waiting
    ? alarmInstant(reminder, resolveTimeZone(userZone) ?? 'UTC')
    : reminder.alarmMs;

/** A reminder as clients see it, its times on the clock of `zone`; `due` and `now` are ms UTC. */
export const toReminderData = (
  reminder: ShownReminder,
  due: number,
  { zone, now }: { readonly zone: ZoneOffsets; readonly now: number },
): ReminderData => ({
  id: reminder.id,
  target_id: reminder.targetId,
  folder: reminder.folderId,
  alarm: zone.instantToLocal(due),
  module: REMINDER_MODULE.calendar,
  server_time: zone.instantToLocal(now),
  user_id: reminder.userId,
  last_modified: reminder.lastModified,
  recurrence_position: reminder.position,
});
