import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Token of the file store. */
export const FILES = Symbol('files');

/** Settings of the calendar service. */
export class CalendarConfig {
  @Setting({ env: 'FILESTORE_URL', doc: 'File store: file:///folder; default: files in DATA_DIR' })
  fileStoreUrl = '';

  @Setting({ env: 'CALENDAR_IMPORT_BATCH', doc: 'Events stored in one transaction of an import' })
  @IsInt()
  @Min(1)
  @Max(5000)
  importBatch = 500;

  @Setting({ env: 'CALENDAR_IMPORT_MAX_ITEMS', doc: 'Most items of one imported file' })
  @IsInt()
  @Min(1)
  importMaxItems = 100_000;

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
}
