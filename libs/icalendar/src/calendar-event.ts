/**
 * How a time is anchored: `date` = a whole day, `zoned` = wall clock of a zone, `utc` = an instant,
 * `floating` = the same wall clock wherever one is (RFC 5545 §3.3.5 form 1).
 */
export type CalendarTimeKind = 'date' | 'zoned' | 'utc' | 'floating';

/** A DATE or DATE-TIME value. */
export interface CalendarTime {
  readonly kind: CalendarTimeKind;
  /** Wall clock written as if it were UTC, ms, whole seconds; UTC midnight for `date`; the instant itself for `utc`. */
  readonly localMs: number;
  /** `zoned` only: IANA name or `GMT+08:00`, as `resolveTimeZone` of `@groupware/recurrence` gives it. Never `UTC`. */
  readonly timeZone?: string;
  /** `zoned` and `utc`: the TZID of the file where it was spelt differently. Not written again. */
  readonly originalTzid?: string;
}

/** Parameters by lower-case name, values decoded (RFC 6868); a list where the RFC allows several (MEMBER, DELEGATED-TO). */
export type PropertyParameters = Readonly<Record<string, string | readonly string[]>>;

/**
 * A property that has no field of its own, in the shape of jCal (RFC 7265): lower-case name, parameters, value type
 * (`unknown` when none is known), values. Values of type `text` are unescaped; all others keep iCalendar notation
 * (`20260131T090000Z`, not `2026-01-31T09:00:00Z`), so that nothing is lost between reading and writing.
 */
export type RawProperty = readonly [name: string, parameters: PropertyParameters, type: string, ...values: string[]];

/** A component inside an event that has no field of its own (RFC 9073 and X- components). */
export interface RawComponent {
  /** Upper case. */
  readonly name: string;
  readonly properties: readonly RawProperty[];
  readonly components: readonly RawComponent[];
}

/** ORGANIZER. */
export interface CalendarOrganizer {
  /** Calendar address as written: usually `mailto:` and an address, any case, sometimes the bare address. */
  readonly uri: string;
  readonly cn?: string;
  /** SENT-BY: calendar address of who acts for the organizer. */
  readonly sentBy?: string;
  /** All other parameters. */
  readonly parameters?: PropertyParameters;
}

/** ATTENDEE. Enumerations are upper case; absent means the default of the RFC (INDIVIDUAL, REQ-PARTICIPANT, NEEDS-ACTION). */
export interface CalendarAttendee {
  /** Calendar address as written: usually `mailto:` and an address, any case, sometimes the bare address. */
  readonly uri: string;
  readonly cn?: string;
  /** CUTYPE: INDIVIDUAL, GROUP, RESOURCE, ROOM, UNKNOWN or a name of others. */
  readonly cuType?: string;
  /** ROLE: CHAIR, REQ-PARTICIPANT, OPT-PARTICIPANT, NON-PARTICIPANT or a name of others. */
  readonly role?: string;
  /** PARTSTAT: NEEDS-ACTION, ACCEPTED, DECLINED, TENTATIVE, DELEGATED or a name of others. */
  readonly partStat?: string;
  readonly rsvp?: boolean;
  readonly sentBy?: string;
  /** Comment of the attendee on the answer (X-RESPONSE-COMMENT). */
  readonly comment?: string;
  /** All other parameters, MEMBER and DELEGATED-TO among them. */
  readonly parameters?: PropertyParameters;
}

/** When an alarm goes off. */
export type AlarmTrigger =
  | {
      readonly kind: 'relative';
      readonly relatedTo: 'START' | 'END';
      /** Distance in ms, negative = before; days count as 24 hours. */
      readonly offsetMs: number;
    }
  | {
      readonly kind: 'absolute';
      /** Instant in ms. */
      readonly atMs: number;
    };

/** VALARM. */
export interface CalendarAlarm {
  /** Upper case: DISPLAY, AUDIO, EMAIL or a name of others. */
  readonly action: string;
  readonly trigger: AlarmTrigger;
  readonly description?: string;
  readonly summary?: string;
  readonly uid?: string;
  /** REPEAT and the DURATION between, both or none. */
  readonly repeat?: { readonly count: number; readonly everyMs: number };
  /** ACKNOWLEDGED (RFC 9074), instant in ms. */
  readonly acknowledgedMs?: number;
  readonly attendees: readonly CalendarAttendee[];
  readonly attachments: readonly CalendarAttachment[];
  readonly extraProperties: readonly RawProperty[];
}

/** ATTACH: a reference (`uri`) or the content itself (`data`). */
export interface CalendarAttachment {
  readonly uri?: string;
  /** Base64, as in the file. */
  readonly data?: string;
  /** FMTTYPE. */
  readonly formatType?: string;
  /** FILENAME (RFC 8607) or its older forms; written as FILENAME. */
  readonly fileName?: string;
  /** SIZE in octets (RFC 8607). */
  readonly size?: number;
  /** MANAGED-ID (RFC 8607). */
  readonly managedId?: string;
  /** All other parameters. */
  readonly parameters?: PropertyParameters;
}

/** An RDATE that is a period with another length than the event. */
export interface RecurrencePeriod {
  /** Start in the clock of the series; the same value is in `rdates`. */
  readonly localMs: number;
  readonly durationMs: number;
}

/**
 * One VEVENT as a plain value: a single event, the master of a series, or (with `recurrenceId`) one changed occurrence.
 * Empty texts are absent. Writing and reading again gives an equal value, `originalTzid` aside.
 */
export interface CalendarEvent {
  /** From the content of the event where the file has none (warning `missing-uid`): the same event gets the same id again. */
  readonly uid: string;
  /** SEQUENCE, 0 when absent. */
  readonly sequence: number;
  /** The original start of the changed occurrence, as the file has it; the zone need not be that of the series. */
  readonly recurrenceId?: CalendarTime;
  readonly recurrenceRange?: 'THISANDFUTURE';

  readonly summary?: string;
  readonly location?: string;
  readonly description?: string;

  readonly start: CalendarTime;
  /**
   * Exclusive end, from DTEND, DURATION or the defaults of RFC 5545 §3.6.1 (a day, no time at all). Not before `start`,
   * and of kind `date` exactly when `start` is.
   */
  readonly end: CalendarTime;

  /** RRULE value as written, in upper case; `parseRule` of `@groupware/recurrence` accepts it. */
  readonly rrule?: string;
  /** RDATE in the clock of the series (that of `start`), local ms, sorted, each once. */
  readonly rdates: readonly number[];
  /** Those of `rdates` that have a length of their own. */
  readonly rdatePeriods: readonly RecurrencePeriod[];
  /** EXDATE in the clock of the series, local ms, sorted, each once. */
  readonly exdates: readonly number[];

  readonly transparency: 'OPAQUE' | 'TRANSPARENT';
  readonly status?: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED';
  /** Unknown classes become PRIVATE (RFC 5545 §3.8.1.3). */
  readonly classification: 'PUBLIC' | 'PRIVATE' | 'CONFIDENTIAL';
  readonly categories: readonly string[];
  /** 0 = undefined, 1 highest to 9 lowest. */
  readonly priority?: number;
  /** COLOR (RFC 7986): a CSS colour name. */
  readonly color?: string;
  readonly url?: string;
  /** GEO in degrees. */
  readonly geo?: { readonly latitude: number; readonly longitude: number };

  readonly organizer?: CalendarOrganizer;
  readonly attendees: readonly CalendarAttendee[];
  readonly alarms: readonly CalendarAlarm[];
  readonly attachments: readonly CalendarAttachment[];

  /** Instants in ms. */
  readonly createdMs?: number;
  readonly lastModifiedMs?: number;
  readonly dtstampMs?: number;

  /** Parameters of mapped properties that have no field, by lower-case property name: `{ summary: { language: 'de' } }`. */
  readonly propertyParameters?: Readonly<Record<string, PropertyParameters>>;
  /** X- properties and those without a field, in the order of the file. */
  readonly extraProperties: readonly RawProperty[];
  readonly extraComponents: readonly RawComponent[];
}

/** How far a task is (STATUS of a VTODO). */
export type TodoStatus = 'NEEDS-ACTION' | 'IN-PROCESS' | 'COMPLETED' | 'CANCELLED';

/**
 * One VTODO as a plain value. Empty texts are absent. Writing and reading again gives an equal value, `originalTzid` aside.
 * RELATED-TO and whatever else has no field stands in `extraProperties`.
 */
export interface CalendarTodo extends Omit<
  CalendarEvent,
  'start' | 'end' | 'rdatePeriods' | 'transparency' | 'status' | 'priority'
> {
  readonly start?: CalendarTime;
  /**
   * DUE as written: the day itself, not the one after it, when it is a day. DTSTART plus DURATION where the file has these.
   * Nothing says that it is after `start`.
   */
  readonly due?: CalendarTime;
  /** DURATION as written, instead of DUE. */
  readonly duration?: string;
  readonly status?: TodoStatus;
  /** Percent, 0 to 100. */
  readonly percentComplete?: number;
  /** COMPLETED, instant in ms. */
  readonly completedMs?: number;
  /** 0 = undefined, 1 highest to 9 lowest. */
  readonly priority?: number;
}
