import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of the calendar service. */
export class CalendarConfig {
  @Setting({ env: 'CALENDAR_IMPORT_BATCH', doc: 'Events stored in one transaction of an import' })
  @IsInt()
  @Min(1)
  @Max(5000)
  importBatch = 500;

  @Setting({ env: 'CALENDAR_IMPORT_MAX_ITEMS', doc: 'Most items of one imported file' })
  @IsInt()
  @Min(1)
  importMaxItems = 100_000;

  @Setting({
    env: 'CALENDAR_MAX_EXPANSION_STEPS',
    doc: 'Periods and occurrences that one request may look at in all series together, 0.2 µs each; views that need more give CAL-5072, conflict checks leave the rest of the series out (with resources: CAL-4002)',
  })
  @IsInt()
  @Min(1_000)
  maxExpansionSteps = 2_000_000;

  @Setting({
    env: 'CALENDAR_SCHEDULING_MAX_BYTES',
    doc: 'Largest scheduling message to attendees elsewhere, bytes; larger ones go without description and attachments, or not at all',
  })
  @IsInt()
  @Min(10_000)
  @Max(700_000)
  schedulingMaxBytes = 400_000;

  @Setting({
    env: 'CALENDAR_SCHEDULING_MAX_READ',
    doc: 'Largest scheduling message in a mail on which users decide, bytes',
  })
  @IsInt()
  @Min(10_000)
  schedulingMaxRead = 1_048_576;

  @Setting({
    env: 'CALENDAR_SCHEDULING_MAX_FILES',
    doc: 'Most files that the events of one scheduling message get with it; those beyond are left out. 0: none',
  })
  @IsInt()
  @Min(0)
  @Max(1_000)
  schedulingMaxFiles = 100;

  @Setting({
    env: 'CALENDAR_SCHEDULING_MAX_FILES_BYTES',
    doc: 'Most bytes of the files that the events of one scheduling message get with it; those that do not fit are left out',
  })
  @IsInt()
  @Min(0)
  schedulingMaxFilesBytes = 26_214_400;

  @Setting({ env: 'CALENDAR_FEED_TIMEOUT_MS', doc: 'Longest time of reading a calendar of the web, ms' })
  @IsInt()
  @Min(100)
  @Max(50_000)
  feedTimeoutMs = 20_000;

  @Setting({
    env: 'CALENDAR_FEED_SECONDS',
    doc: 'Seconds between two looks for calendars of the web that are to be read anew. 0: this process reads none but when users ask for it',
  })
  @IsInt()
  @Min(0)
  @Max(86_400)
  feedSeconds = 60;

  @Setting({ env: 'CALENDAR_FEED_PARALLEL', doc: 'Most calendars of the web that this process reads anew at a time' })
  @IsInt()
  @Min(1)
  @Max(100)
  feedParallel = 4;

  @Setting({
    env: 'CALENDAR_FEED_MIN_MINUTES',
    doc: 'Fewest minutes after which a calendar of the web is read anew, whatever its user or the calendar itself says',
  })
  @IsInt()
  @Min(1)
  @Max(10_080)
  feedMinMinutes = 15;

  @Setting({ env: 'CALENDAR_BIRTHDAYS_MAX', doc: 'Most birthdays of contacts in the calendar of one user' })
  @IsInt()
  @Min(1)
  @Max(100_000)
  birthdaysMax = 10_000;

  @Setting({
    env: 'CALENDAR_BIRTHDAYS_MINUTES',
    doc: 'Minutes after which the birthdays of contacts are read anew for users who are told of them, whether they look or not',
  })
  @IsInt()
  @Min(1)
  @Max(10_080)
  birthdaysMinutes = 60;

  @Setting({ env: 'CALENDAR_EXPORT_MAX_BYTES', doc: 'Largest exported file, bytes' })
  @IsInt()
  @Min(1)
  exportMaxBytes = 1_073_741_824;

  @Setting({
    env: 'CALENDAR_TOMBSTONE_DAYS',
    doc: 'Days for which deletions are told by updates; clients that ask for older ones load their calendars again',
  })
  @IsInt()
  @Min(1)
  tombstoneDays = 366;

  @Setting({ env: 'CALENDAR_CLEANING_MINUTES', doc: 'Minutes between two runs of the cleaner of old deletions' })
  @IsInt()
  @Min(1)
  @Max(20_000)
  cleaningMinutes = 360;

  @Setting({
    env: 'CALENDAR_ALARM_SECONDS',
    doc: 'Longest pause between two looks for due alarms, seconds; alarms that this process knows of come in time, those of a process that died so much later at most. 0: this process tells of no alarms',
  })
  @IsInt()
  @Min(0)
  @Max(3_600)
  alarmSeconds = 4;

  @Setting({ env: 'CALENDAR_ALARM_BATCH', doc: 'Alarms told in one transaction' })
  @IsInt()
  @Min(1)
  @Max(5_000)
  alarmBatch = 200;

  @Setting({
    env: 'CALENDAR_ALARM_CATCH_UP_HOURS',
    doc: 'After an outage, occurrences of series whose start is longer ago are passed over; the first alarm that was missed comes however late it is',
  })
  @IsInt()
  @Min(0)
  @Max(8_760)
  alarmCatchUpHours = 168;

  @Setting({
    env: 'CALENDAR_REMINDER_DAYS',
    doc: 'Days after the end of an appointment for which its reminders are kept',
  })
  @IsInt()
  @Min(1)
  @Max(3_660)
  reminderDays = 30;

  @Setting({ env: 'CALENDAR_REMINDER_MAX', doc: 'Most reminders in one answer; the newest ones' })
  @IsInt()
  @Min(1)
  @Max(100_000)
  reminderMax = 1_000;
}
