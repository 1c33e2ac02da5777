import { AlarmClock } from '@groupware/service-kit';
import type { Provider } from '@nestjs/common';
import { AlarmLoop } from './alarm-loop';
import { AlarmRepository } from './alarm.repository';
import { DueAlarms } from './due-alarms';
import { EventAlarmChanges } from './event-alarm-changes';
import { OwnReminders } from './own-reminders';
import { PendingAlarms } from './pending-alarms';
import { ReminderPlanner } from './reminder-planner';
import { ReminderRepository } from './reminder.repository';

/** Providers of alarms and reminders. */
export const alarmProviders: Provider[] = [
  AlarmClock,
  AlarmLoop,
  AlarmRepository,
  DueAlarms,
  EventAlarmChanges,
  OwnReminders,
  PendingAlarms,
  ReminderPlanner,
  ReminderRepository,
];
