/** `range_end_ms` of a series without end: the largest number that JavaScript keeps exactly. */
export const ENDLESS = Number.MAX_SAFE_INTEGER;

/** Kinds of participants on the wire. */
export const PARTICIPANT = { user: 1, group: 2, resource: 3, resourceGroup: 4, external: 5, externalGroup: 6 } as const;

/** Answers of participants on the wire. */
export const CONFIRM = { none: 0, accepted: 1, declined: 2, tentative: 3 } as const;

/** `shown_as` on the wire. */
export const SHOWN_AS = { reserved: 1, temporary: 2, absent: 3, free: 4 } as const;

/** Classification on the wire: 0 visible with the folder, 1 times only, 2 hidden. */
export const CLASSIFICATION = { public: 0, confidential: 1, private: 2 } as const;

/** A participant, or an invited group. */
export interface Attendee {
  /** 1 user, 2 group, 3 resource, 5 external. */
  readonly type: number;
  /** User, group or resource id; null for externals. */
  readonly entity: number | null;
  readonly mail: string | null;
  readonly displayName: string | null;
  /** Personal folder in which an internal user sees the appointment, unless `direct`. */
  readonly folderId: number | null;
  /** The user sees the appointment in the appointment's own folder. */
  readonly direct: boolean;
  /** Named in `participants`; false for users who came with a group. */
  readonly listed: boolean;
  /** Took himself out. */
  readonly hidden: boolean;
  readonly confirm: number;
  readonly message: string | null;
  /** Minutes before the start. */
  readonly alarm: number | null;
  /** Data of the iCalendar object beyond these fields. */
  readonly extra: Readonly<Record<string, unknown>> | null;
}

/** Fields of an appointment that a client or an import sets. Times: see {@link Appointment}. */
export interface AppointmentContent {
  readonly uid: string;
  readonly startMs: number;
  readonly endMs: number;
  /** IANA name, `UTC`, or a fixed offset; the series is expanded in it. */
  readonly timeZone: string;
  readonly fullTime: boolean;
  /** No zone: times are wall-clock ms written as if they were UTC. Always true with `fullTime`. */
  readonly floating: boolean;
  readonly title: string | null;
  readonly location: string | null;
  readonly note: string | null;
  readonly shownAs: number;
  readonly classification: number;
  readonly color: number | null;
  readonly categories: string | null;
  readonly organizer: string | null;
  readonly organizerId: number | null;
  readonly principal: string | null;
  readonly principalId: number | null;
  readonly sequence: number;
  /** RRULE text without the name. */
  readonly rule: string | null;
  /** Local ms. */
  readonly rdates: readonly number[] | null;
  /** Local ms: deleted occurrences. */
  readonly exdates: readonly number[] | null;
  readonly extra: Readonly<Record<string, unknown>> | null;
}

/** An appointment, the master of a series, or a change exception. Times are instants in ms UTC unless `floating`. */
export interface Appointment extends AppointmentContent {
  readonly id: number;
  /** null: single; own id: master of a series; else id of the series this is an exception of. */
  readonly seriesId: number | null;
  /** Calendar of the owner, or a public folder. */
  readonly folderId: number;
  readonly isPublic: boolean;
  /** Calendar user: owner of the private folder, creator in a public one. */
  readonly owner: number;
  /** Original start of an exception, local ms. */
  readonly recurrenceLocalMs: number | null;
  /** Number of an exception within its series. */
  readonly position: number | null;
  /** End of the last occurrence; {@link ENDLESS}. Equal to `endMs` unless a series. */
  readonly rangeEndMs: number;
  /** Original starts (local ms) of occurrences that are exceptions now. */
  readonly changes: readonly number[] | null;
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  /** Grows strictly from change to change within the context. */
  readonly lastModified: number;
  readonly attachments: number;
  readonly newestAttachment: number | null;
  readonly attendees: readonly Attendee[];
  /** Of a calendar of the web: only read, and in a folder of its own account. */
  readonly isExternal?: true;
}

/** True for the master of a series. */
export const isSeries = (appointment: Pick<Appointment, 'id' | 'seriesId'>): boolean =>
  appointment.seriesId !== null && appointment.seriesId === appointment.id;

/** True for an occurrence of a series that has data of its own. */
export const isException = (appointment: Pick<Appointment, 'id' | 'seriesId'>): boolean =>
  appointment.seriesId !== null && appointment.seriesId !== appointment.id;

/** The row of a user among the attendees. */
export const findAttendee = (appointment: Pick<Appointment, 'attendees'>, userId: number): Attendee | undefined =>
  appointment.attendees.find((attendee) => attendee.type === PARTICIPANT.user && attendee.entity === userId);

/** Ids of the resources that an appointment books. */
export const listResources = ({ attendees }: Pick<Appointment, 'attendees'>): number[] =>
  attendees.flatMap(({ type, entity }) => (type === PARTICIPANT.resource ? [entity!] : []));

/** The folder in which an attendee has an appointment: a calendar of its own, or that of the appointment. */
export const calendarOf = ({ folderId }: Pick<Appointment, 'folderId'>, attendee: Pick<Attendee, 'folderId'>): number =>
  attendee.folderId ?? folderId;

/** The folder in which a user sees the appointment as his own; undefined when he takes no part. */
export function findOwnFolder(appointment: Appointment, userId: number): number | undefined {
  const attendee = findAttendee(appointment, userId);
  if (!attendee || attendee.hidden) return undefined;
  return calendarOf(appointment, attendee);
}
