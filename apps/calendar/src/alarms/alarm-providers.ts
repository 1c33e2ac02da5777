import { AlarmClock } from '@groupware/service-kit';
import type { Provider } from '@nestjs/common';
import { AlarmLoop } from './alarm-loop';
import { DueAlarms } from './due-alarms';
import { OwnReminders } from './own-reminders';
import { ReminderPlanner } from './reminder-planner';
import { ReminderRepository } from './reminder.repository';

/** Providers of alarms and reminders. */
export const alarmProviders: Provider[] = [
  AlarmClock,
  AlarmLoop,
  DueAlarms,
  OwnReminders,
  ReminderPlanner,
  ReminderRepository,
];
