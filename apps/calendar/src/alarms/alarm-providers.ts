import { AlarmClock } from '@groupware/service-kit';
import type { Provider } from '@nestjs/common';
import { AlarmLoop } from './alarm-loop';
import { AlarmRepository } from './alarm.repository';
import { DueAlarms } from './due-alarms';
import { DueFeedAlarms } from './due-feed-alarms';
import { DueTriggers } from './due-triggers';
import { EventAlarmChanges } from './event-alarm-changes';
import { OwnReminders } from './own-reminders';
import { PendingAlarms } from './pending-alarms';
import { ReminderPlanner } from './reminder-planner';
import { ReminderRepository } from './reminder.repository';
import { TriggerPlanner } from './trigger-planner';
import { TriggerReminders } from './trigger-reminders';
import { TriggerRepository } from './trigger.repository';
import { UserDefaultAlarms } from './user-default-alarms';
import { UserZones } from './user-zones';

/** Providers of alarms and reminders. */
export const alarmProviders: Provider[] = [
  AlarmClock,
  AlarmLoop,
  AlarmRepository,
  DueAlarms,
  DueFeedAlarms,
  DueTriggers,
  EventAlarmChanges,
  OwnReminders,
  PendingAlarms,
  ReminderPlanner,
  ReminderRepository,
  TriggerPlanner,
  TriggerReminders,
  TriggerRepository,
  UserDefaultAlarms,
  UserZones,
];
