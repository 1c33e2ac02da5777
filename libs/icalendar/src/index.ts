export type {
  AlarmTrigger,
  CalendarAlarm,
  CalendarAttachment,
  CalendarAttendee,
  CalendarEvent,
  CalendarOrganizer,
  CalendarTime,
  CalendarTimeKind,
  PropertyParameters,
  RawComponent,
  RawProperty,
  RecurrencePeriod,
} from './calendar-event';
export { readCalendar } from './calendar-reader';
export { foldLine } from './content-line';
export { writeCalendar, type CalendarWriteOptions } from './calendar-writer';
export { readFreeBusy } from './free-busy-reader';
export { writeFreeBusy, type PublishedPeriod, type PublishedTimes } from './free-busy-writer';
export type {
  CalendarProperties,
  CalendarReadOptions,
  ImportedItem,
  ItemError,
  ItemErrorReason,
  ItemWarning,
  ItemWarningCode,
} from './imported-item';
