import type { CalendarAlarm, CalendarEvent } from '@groupware/icalendar';

/** What an event of a file says beyond the fields of an appointment; written again at an export. */
export interface IcalendarRest extends Partial<
  Pick<
    CalendarEvent,
    | 'recurrenceId'
    | 'rdatePeriods'
    | 'status'
    | 'categories'
    | 'priority'
    | 'color'
    | 'url'
    | 'geo'
    | 'organizer'
    | 'attendees'
    | 'attachments'
    | 'createdMs'
    | 'dtstampMs'
    | 'propertyParameters'
    | 'extraProperties'
    | 'extraComponents'
  >
> {
  /** The end, when it is in another zone than the start. */
  readonly end?: CalendarEvent['end'];
  /** The alarm that became `alarm`. */
  readonly alarm?: CalendarAlarm;
  /** All others. */
  readonly alarms?: readonly CalendarAlarm[];
  /** SEQUENCE of the message by which an external organizer invited; absent for imports. */
  readonly sequence?: number;
  /** `lastModifiedMs` of the file. */
  readonly lastModifiedMs?: number;
}

/** Key of the rest within `extra` of an appointment. */
export const REST = 'icalendar';
