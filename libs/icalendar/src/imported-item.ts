import type { CalendarEvent, CalendarTodo } from './calendar-event';

/** Why an item could not be read. */
export type ItemErrorReason =
  /** Of another kind than {@link CalendarReadOptions.kind}. */
  | 'unsupported-component'
  /** Another component began, the calendar ended or the file broke off before the item's END. */
  | 'unclosed-component'
  | 'missing-start'
  | 'invalid-start'
  | 'invalid-end'
  | 'invalid-duration'
  | 'end-before-start'
  /** One of DTSTART and DTEND is a day, the other a time. */
  | 'end-kind-differs'
  | 'invalid-rrule'
  | 'invalid-recurrence-id'
  /** A limit of {@link CalendarReadOptions} was reached. */
  | 'line-too-long'
  | 'item-too-large'
  | 'nested-too-deep'
  /** The last result: reading stopped here. */
  | 'too-many-items';

/** Kind of a repair or an omission while an item was read. */
export type ItemWarningCode =
  | 'malformed-line'
  | 'long-line-dropped'
  | 'unknown-encoding'
  | 'missing-uid'
  | 'duplicate-property'
  | 'invalid-value'
  | 'unknown-value'
  /** A DATE-TIME property held a day without VALUE=DATE, or a whole day ended on the day it began. */
  | 'date-repaired'
  | 'unknown-time-zone'
  /** The rules of a VTIMEZONE suit no known zone: its offset at the start of the event was kept. */
  | 'time-zone-fixed'
  | 'invalid-rdate'
  | 'invalid-exdate'
  /** An RDATE period has another length than the event. */
  | 'period-length-differs'
  | 'unsupported-rdate'
  | 'invalid-alarm';

/** The reason why there is no event. */
export interface ItemError {
  readonly reason: ItemErrorReason;
  /** English, technical. */
  readonly message: string;
  /** Line of the file, from 1. */
  readonly line?: number;
}

/** Something the importing user may be told; the event is usable. */
export interface ItemWarning {
  readonly code: ItemWarningCode;
  /** English, technical. */
  readonly message: string;
  /** Lower-case name of the property. */
  readonly property?: string;
  /** Line of the file, from 1. */
  readonly line?: number;
}

/** Properties of a calendar as a whole. Shared by all its items and filled in while the file is read. */
export interface CalendarProperties {
  /** METHOD, upper case. */
  readonly method?: string;
  readonly prodId?: string;
  /** NAME (RFC 7986) or X-WR-CALNAME. */
  readonly name?: string;
  /** DESCRIPTION (RFC 7986) or X-WR-CALDESC. */
  readonly description?: string;
  /** COLOR (RFC 7986), the name of a colour of CSS, or X-APPLE-CALENDAR-COLOR, such as `#FF2968FF`. */
  readonly color?: string;
  /** REFRESH-INTERVAL (RFC 7986): how long its publisher wants it to be taken for new, ms. */
  readonly refreshMs?: number;
  /** X-WR-TIMEZONE as an IANA name: where floating times are meant. */
  readonly timeZone?: string;
}

/** The result for one component: either `event` (`todo` of a VTODO) or `error` is present. */
export interface ImportedItem {
  /** Position among the items of the file, from 0. Items that wait for a VTIMEZONE further down come out later than others. */
  readonly index: number;
  /** Component name, upper case: VEVENT, VTODO, VJOURNAL, VFREEBUSY, … */
  readonly kind: string;
  /** Line of the BEGIN, from 1. */
  readonly line: number;
  readonly calendar: CalendarProperties;
  readonly event?: CalendarEvent;
  readonly todo?: CalendarTodo;
  readonly error?: ItemError;
  /** At most 50. */
  readonly warnings: readonly ItemWarning[];
}

/** How a file is read; all limits hold whatever the file contains. */
export interface CalendarReadOptions {
  /** Zone of times whose TZID is unknown, and of floating times where an instant is needed. IANA name. */
  readonly defaultTimeZone: string;
  /** Components that are read; default VEVENT. */
  readonly kind?: 'VEVENT' | 'VTODO';
  /**
   * Events may lack DTSTART, as those of some methods do (RFC 5546, section 3.2.6): their RECURRENCE-ID stands for it, else
   * their DTSTAMP.
   */
  readonly startOptional?: boolean;
  /**
   * WHATWG label of the encoding. Without it UTF-8 (also UTF-16 with a byte order mark); lines that are not valid UTF-8
   * are read as windows-1252. A label that does not exist throws a RangeError.
   */
  readonly charset?: string;
  /** Items read from one file; default 100,000. */
  readonly maxItems?: number;
  /** Size of one component in octets; default 4 MiB. */
  readonly maxItemBytes?: number;
  /** Lines of one component; default 20,000. */
  readonly maxItemLines?: number;
  /** Values of the properties of one component, dates and categories counted one by one; default 20,000. */
  readonly maxItemValues?: number;
  /** One unfolded line in octets; default 1 MiB. */
  readonly maxLineBytes?: number;
  /** Components within an item; default 8. */
  readonly maxDepth?: number;
  /** Items, in octets of the file, that may wait for a VTIMEZONE further down; default 4 MiB. */
  readonly maxPendingBytes?: number;
  /** VTIMEZONEs remembered of one calendar; default 200. */
  readonly maxTimeZones?: number;
  /** Called for every calendar that is whole, with or without items. */
  readonly onCalendar?: () => void;
  /** Asked after every line: reading goes on when what it answers is settled. Files of others are never read without. */
  readonly pause: () => Promise<void> | undefined;
}
