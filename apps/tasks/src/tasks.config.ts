import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of the tasks service. */
export class TasksConfig {
  @Setting({
    env: 'TASKS_TOMBSTONE_DAYS',
    doc: 'Days for which deletions of tasks are told by updates; clients that ask for older ones load the folder anew',
  })
  @IsInt()
  @Min(1)
  tombstoneDays = 366;

  @Setting({ env: 'TASKS_CLEANING_MINUTES', doc: 'Minutes between two runs of the cleaner of old deletions' })
  @IsInt()
  @Min(1)
  @Max(20_000)
  cleaningMinutes = 360;

  @Setting({
    env: 'TASKS_ALARM_SECONDS',
    doc: 'Seconds between two looks for due alarms that other processes wrote; 0: this process tells of none',
  })
  @IsInt()
  @Min(0)
  @Max(3_600)
  alarmSeconds = 30;

  @Setting({ env: 'TASKS_REMINDER_MAX', doc: 'Most reminders of tasks in one answer of reminder?action=range' })
  @IsInt()
  @Min(1)
  @Max(10_000)
  reminderMax = 500;

  @Setting({ env: 'TASKS_IMPORT_BATCH', doc: 'Tasks stored in one transaction of an import' })
  @IsInt()
  @Min(1)
  @Max(5_000)
  importBatch = 250;

  @Setting({ env: 'TASKS_IMPORT_MAX_ITEMS', doc: 'Most components of one imported file of tasks' })
  @IsInt()
  @Min(1)
  importMaxItems = 100_000;

  @Setting({ env: 'TASKS_IMPORT_MAX_ITEM_BYTES', doc: 'Largest single task of an imported file, bytes' })
  @IsInt()
  @Min(1_024)
  importMaxItemBytes = 1_048_576;

  @Setting({ env: 'TASKS_EXPORT_MAX_BYTES', doc: 'Largest exported file of tasks, bytes' })
  @IsInt()
  @Min(1)
  exportMaxBytes = 1_073_741_824;
}
