export type {
  AlarmTrigger,
  CalendarAlarm,
  CalendarAttachment,
  CalendarAttendee,
  CalendarEvent,
  CalendarOrganizer,
  CalendarTime,
  CalendarTimeKind,
  CalendarTodo,
  PropertyParameters,
  RawComponent,
  RawProperty,
  RecurrencePeriod,
  TodoStatus,
} from './calendar-event';
export { addAttachments } from './attachment-writer';
export { readCalendar, readCalendarProperties } from './calendar-reader';
export { displayAlarm, EMPTY_TODO, parseCategories, toCalendarTime, type TimeAnchor } from './calendar-values';
export { isFieldOfEvent } from './event-reader';
export { foldInParts, foldLine, omitControls, omitForbidden } from './content-line';
export { writeCalendar, writeTodos, type CalendarWriteOptions } from './calendar-writer';
export { readFreeBusy } from './free-busy-reader';
export { writeFreeBusy, type PublishedPeriod, type PublishedTimes } from './free-busy-writer';
export { alarmInstant, timesOfTodo, type TodoTimes } from './todo-times';
export type {
  CalendarProperties,
  CalendarReadOptions,
  ImportedItem,
  ItemError,
  ItemErrorReason,
  ItemWarning,
  ItemWarningCode,
} from './imported-item';
