import { toReminderId, type DueAlarm, type ReminderNews } from '@groupware/contracts';

/** Notice to a user when the time of an alarm has come. */
export const reminderNews = (alarm: DueAlarm): ReminderNews => ({
  id: toReminderId(alarm.module, alarm.reminderId),
  module: alarm.module,
  target_id: alarm.targetId,
  folder: alarm.folderId,
  alarm: alarm.alarm,
  title: alarm.title,
  start: alarm.start,
  end: alarm.end,
  full_time: alarm.fullTime,
  ...(alarm.position === undefined ? {} : { recurrence_position: alarm.position }),
});
