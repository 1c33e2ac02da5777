import type { OwnedReminder } from '@groupware/contracts';
import { resolveTimeZone } from '@groupware/recurrence';
import { alarmInstant, REMINDER_STATE } from './reminder';
import type { ShownReminder } from './reminder.repository';

/** Due time of a reminder, ms UTC. Alarms of whole days follow `userZone`, the zone of the user. */
export const dueInstant = (reminder: ShownReminder, userZone: string): number =>
  reminder.state === REMINDER_STATE.waiting
    ? alarmInstant(reminder, resolveTimeZone(userZone) ?? 'UTC')
    : reminder.alarmMs;

/** A reminder as the calendar tells it, for a user in `userZone`. */
export const toOwnedReminder = (reminder: ShownReminder, userZone: string): OwnedReminder => ({
  id: reminder.id,
  targetId: reminder.targetId,
  folderId: reminder.folderId,
  alarm: dueInstant(reminder, userZone),
  lastModified: reminder.lastModified,
  position: reminder.position,
});
