import type { CalendarAlarm, CalendarEvent } from '@groupware/icalendar';
import type { Appointment } from './appointment';

/** Whence a series comes that was split off another one by a change of an occurrence and all that follow. */
export interface SeriesPart {
  /** Unique id of the other one. */
  readonly uid: string;
  /** Original start of its first occurrence, in the clock of the other one. */
  readonly fromMs: number;
  /** Shift of its occurrences in the same clock, ms. */
  readonly shiftMs: number;
}

/** An event as it is stored. */
export type StoredEvent = CalendarEvent & { readonly partOf?: SeriesPart };

/** An organizer elsewhere, beyond his address. */
export interface OutsideOrganizer {
  readonly cn?: string;
  /** Address of who acts for the organizer (SENT-BY). */
  readonly sentBy?: { readonly mail: string; readonly cn?: string };
}

/**
 * Data of an event of a file beyond the fields of an appointment; written again at an export, without the organizer, by whom
 * later messages about the event are known.
 */
export interface IcalendarExtra extends Partial<
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
    | 'attachments'
    | 'createdMs'
    | 'dtstampMs'
    | 'propertyParameters'
    | 'extraProperties'
    | 'extraComponents'
  >
> {
  /** Of an event that an organizer elsewhere owns; `organizer` is that of a file. */
  readonly outsideOrganizer?: OutsideOrganizer;
  /** Ids of the conferences, in their order, and the last one that was given; absent where ids are places. */
  readonly conferenceIds?: { readonly ids: readonly number[]; readonly last: number };
  /** The end, when it is in another zone than the start. */
  readonly end?: CalendarEvent['end'];
  /** The start in local ms, where it is a time that the clocks skip: other occurrences keep it. */
  readonly skippedStart?: number;
  /** The alarm that became `alarm`. */
  readonly alarm?: CalendarAlarm;
  /** All others. */
  readonly alarms?: readonly CalendarAlarm[];
  /** SEQUENCE of the message by which an external organizer invited; absent for imports. */
  readonly sequence?: number;
  /** Absent for series that nothing but themselves made. */
  readonly partOf?: SeriesPart;
  /** `lastModifiedMs` of the file. */
  readonly lastModifiedMs?: number;
}

/** Key of this data within `extra` of an appointment. */
export const ICALENDAR_EXTRA = 'icalendar';

/** Finds the data of the iCalendar object that appointments have no field for; undefined for one that came from no object. */
export const findIcalendarExtra = ({ extra }: Pick<Appointment, 'extra'>): IcalendarExtra | undefined =>
  extra?.[ICALENDAR_EXTRA] as IcalendarExtra | undefined;

/** Returns the same data, which is empty for an appointment that came from no object. */
export const getIcalendarExtra = (appointment: Pick<Appointment, 'extra'>): IcalendarExtra =>
  findIcalendarExtra(appointment) ?? {};

/** True for the name of another part of the message by which an event came: it leads to nothing here. */
export const isPartName = (uri: string): boolean => /^cid:/i.test(uri);
