import { Field } from '../kit';

/** Types of busy time (RFC 5545, section 3.2.9), the most conflicting one first. */
export const BUSY_TYPES = ['BUSY-UNAVAILABLE', 'BUSY', 'BUSY-TENTATIVE', 'FREE'] as const;

/** See {@link BUSY_TYPES}. */
export type BusyType = (typeof BUSY_TYPES)[number];

/** A stretch of one type. */
export class FreeBusyPeriod {
  @Field.timestamp({ doc: 'Begin, ms UTC' }) startTime!: number;
  @Field.timestamp({ doc: 'End, ms UTC, exclusive' }) endTime!: number;
  @Field.text({ doc: 'Kind of busy time', values: [...BUSY_TYPES] }) fbType!: BusyType;
}

/** Attendee whose time it is. */
export class FreeBusyAttendee {
  @Field.int({ doc: 'Id of the user or resource', optional: true }) entity?: number;
  @Field.text({ doc: 'INDIVIDUAL, RESOURCE, ROOM, GROUP or UNKNOWN', optional: true }) cuType?: string;
  @Field.text({ doc: 'mailto: address, or the text that was asked for', optional: true }) uri?: string;
  @Field.text({ doc: 'Name', optional: true }) cn?: string;
  @Field.text({ doc: 'Mail address', optional: true }) email?: string;
}

/** Why the times of an attendee are not told, or not all of them: the standard error object. */
export class FreeBusyWarning {
  @Field.text({ doc: 'Text for the user, translated' }) error!: string;
  @Field.listOf('text', { doc: 'Parameters of the text' }) error_params!: readonly string[];
  @Field.text({ doc: 'Id of this occurrence, as in the logs' }) error_id!: string;
  @Field.text({ doc: 'Technical text in English' }) error_desc!: string;
  @Field.text({ doc: 'Version of the server' }) version!: string;
  @Field.text({ doc: 'Such as CAL-5033' }) code!: string;
  @Field.text({ doc: 'Name of the category' }) categories!: string;
  @Field.int({ doc: 'Number of the category' }) category!: number;
}

/** The time of one attendee: periods, or the reason why there are none. */
export class FreeBusyResult {
  @Field.object(() => FreeBusyAttendee, { doc: 'The attendee' }) attendee!: FreeBusyAttendee;
  @Field.list(() => FreeBusyPeriod, {
    doc: 'Sorted by begin; absent with a warning only',
    optional: true,
    maxItems: 1e6,
  })
  freeBusyTime?: FreeBusyPeriod[];
  @Field.list(() => FreeBusyWarning, { doc: 'Why periods are missing', optional: true }) warnings?: FreeBusyWarning[];
}

/** The event that makes an attendee busy, where the user may read it. */
export class FreeBusyEvent {
  @Field.id({ doc: 'Id' }) id!: string;
  @Field.text({ doc: 'A folder in which the user reads it: `cal://0/31`' }) folder!: string;
  @Field.text({ doc: 'Title', optional: true }) summary?: string;
  @Field.text({ doc: 'Location', optional: true }) location?: string;
}

/** A stretch of one type, for users. */
export class ChronosFreeBusyPeriod extends FreeBusyPeriod {
  @Field.object(() => FreeBusyEvent, {
    doc: 'The event, when the user may read it and times are not merged; at most 1,000 events and 10,000 times of an answer',
    optional: true,
  })
  event?: FreeBusyEvent;
}

/** The time of one attendee, for users. */
export class ChronosFreeBusyResult {
  @Field.object(() => FreeBusyAttendee, { doc: 'The attendee' }) attendee!: FreeBusyAttendee;
  @Field.list(() => ChronosFreeBusyPeriod, {
    doc: 'Sorted by begin; empty for attendees whose times are not known: see the warnings',
    maxItems: 1e6,
  })
  freeBusyTime!: ChronosFreeBusyPeriod[];
  @Field.list(() => FreeBusyWarning, { doc: 'Why periods are missing', optional: true }) warnings?: FreeBusyWarning[];
}

/** A stretch in the form of the older module. */
export class FreeBusyData {
  @Field.timestamp({ doc: 'Begin, ms UTC' }) start_date!: number;
  @Field.timestamp({ doc: 'End, ms UTC, exclusive' }) end_date!: number;
  @Field.int({ doc: '1 reserved, 2 temporary, 3 absent, 4 free' }) shown_as!: number;
  @Field.id({ doc: 'The appointment, when the user may read it and times are not merged', optional: true }) id?: string;
  @Field.id({ doc: 'A folder in which the user reads it', optional: true }) folder_id?: string;
  @Field.text({ doc: 'Its title', optional: true }) title?: string;
  @Field.text({ doc: 'Its location', optional: true }) location?: string;
  @Field.boolean({ doc: 'Whether it takes whole days', optional: true }) full_time?: boolean;
}
