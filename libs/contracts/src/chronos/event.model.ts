import { Field } from '../kit';

/** A time of an event: a day, a time without zone, a time with zone, or (with Z) an instant. */
export class DateTimeData {
  @Field.text({ doc: '`20170708`, `20170708T220000`, or `20170708T220000Z`', maxLength: 64 }) value!: string;
  @Field.text({ doc: 'Zone of a time without Z; without one the time is floating', optional: true, maxLength: 256 })
  tzid?: string;
}

/** A calendar user. */
export class CalendarUserData {
  @Field.text({ doc: 'Calendar address, as `mailto:`', optional: true, maxLength: 2048 }) uri?: string;
  @Field.text({ doc: 'Common name', optional: true, maxLength: 1024 }) cn?: string;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 }) email?: string;
  @Field.int({ doc: 'Id of a user, group or resource', optional: true }) entity?: number;
  @Field.any({ doc: 'Calendar user who acts for this one', optional: true }) sentBy?: unknown;
}

/** Details of an internal attendee, on request. */
export class AttendeeContactData {
  @Field.text({ doc: 'First name', optional: true }) first_name?: string;
  @Field.text({ doc: 'Last name', optional: true }) last_name?: string;
  @Field.text({ doc: 'Title', optional: true }) title?: string;
  @Field.text({ doc: 'Name as it is shown', optional: true }) display_name?: string;
  @Field.text({ doc: 'Address of the image', optional: true }) image1_url?: string;
}

/** An attendee: a person, group or resource. */
export class AttendeeData extends CalendarUserData {
  @Field.text({ doc: 'INDIVIDUAL, GROUP, RESOURCE, ROOM or UNKNOWN', optional: true, maxLength: 64 }) cuType?: string;
  @Field.text({ doc: 'NEEDS-ACTION, ACCEPTED, DECLINED, TENTATIVE or DELEGATED', optional: true, maxLength: 64 })
  partStat?: string;
  @Field.text({ doc: 'CHAIR, REQ-PARTICIPANT, OPT-PARTICIPANT or NON-PARTICIPANT', optional: true, maxLength: 64 })
  role?: string;
  @Field.text({ doc: 'Message of the attendee', optional: true }) comment?: string;
  @Field.boolean({ doc: 'An answer is wanted', optional: true }) rsvp?: boolean;
  @Field.listOf('text', { doc: 'Addresses of the groups that brought the attendee in', optional: true })
  member?: string[];
  @Field.text({ doc: 'Folder in which the calendar user sees the event', optional: true, maxLength: 256 })
  folder?: string;
  @Field.any({ doc: 'Further parameters', optional: true }) extendedParameters?: unknown;
  @Field.object(() => AttendeeContactData, { doc: 'With extendedEntities', optional: true, readOnly: true })
  contact?: AttendeeContactData;
  @Field.any({ doc: 'With extendedEntities: the resource', optional: true, readOnly: true }) resource?: object;
  @Field.any({ doc: 'With extendedEntities: the group', optional: true, readOnly: true }) group?: object;
}

/** When an alarm goes off: before or after the start or the end, or at an instant. */
export class AlarmTriggerData {
  @Field.text({ doc: 'Distance from the start or end: `-PT15M`', optional: true, maxLength: 64 }) duration?: string;
  @Field.text({ doc: 'START or END; default START', optional: true, maxLength: 16 }) related?: string;
  @Field.text({ doc: 'Instant: `20310610T070000Z`', optional: true, maxLength: 64 }) dateTime?: string;
}

/** Relation of an alarm to another one (RFC 9074, section 7). */
export class AlarmRelationData {
  @Field.text({ doc: 'SNOOZE', optional: true, maxLength: 64 }) relType?: string;
  @Field.text({ doc: 'Unique id of the other alarm', optional: true, maxLength: 1024 }) value?: string;
}

/** An alarm of the calendar user. */
export class AlarmData {
  @Field.int({ doc: 'Id', optional: true }) id?: number;
  @Field.text({ doc: 'Unique id', optional: true, maxLength: 1024 }) uid?: string;
  @Field.text({ doc: 'DISPLAY, AUDIO, EMAIL or SMS', optional: true, maxLength: 64 }) action?: string;
  @Field.timestamp({ doc: 'When it was acknowledged, ms UTC', optional: true }) acknowledged?: number;
  @Field.object(() => AlarmTriggerData, { doc: 'When it goes off', optional: true }) trigger?: AlarmTriggerData;
  @Field.text({ doc: 'Text', optional: true }) description?: string;
  @Field.text({ doc: 'Subject of a mail', optional: true }) summary?: string;
  @Field.any({ doc: 'Files', optional: true }) attachments?: unknown;
  @Field.any({ doc: 'Receivers of a mail, or by SMS (`tel:`)', optional: true }) attendees?: unknown;
  @Field.object(() => AlarmRelationData, { doc: 'The alarm that was snoozed', optional: true })
  relatedTo?: AlarmRelationData;
  @Field.any({ doc: 'Further properties', optional: true }) extendedProperties?: unknown;
}

/** A file on an event, or a link. */
export class EventAttachmentData {
  @Field.text({ doc: 'File name', optional: true, maxLength: 1024 }) filename?: string;
  @Field.text({ doc: 'Media type', optional: true, maxLength: 256 }) fmtType?: string;
  @Field.int({ doc: 'Size in bytes', optional: true, max: Number.MAX_SAFE_INTEGER }) size?: number;
  @Field.timestamp({ doc: 'When it was attached, ms UTC', optional: true, readOnly: true }) created?: number;
  @Field.int({ doc: 'Id of a stored file', optional: true }) managedId?: number;
  @Field.text({ doc: 'Link, or `cid:` and the name of a part of the form', optional: true, maxLength: 4096 })
  uri?: string;
}

/** A place on the globe. */
export class GeoData {
  @Field.number({ doc: 'Latitude', optional: true }) lat?: number;
  @Field.number({ doc: 'Longitude', optional: true }) long?: number;
}

/** A conference of an event (RFC 7986). */
export class ConferenceData {
  @Field.int({ doc: 'Id', optional: true }) id?: number;
  @Field.text({ doc: 'Address', optional: true, maxLength: 4096 }) uri?: string;
  @Field.text({ doc: 'Name', optional: true, maxLength: 1024 }) label?: string;
  @Field.listOf('text', {
    doc: 'AUDIO, CHAT, FEED, MODERATOR, PHONE, SCREEN, VIDEO',
    optional: true,
    maxItems: 100,
  })
  features?: string[];
  @Field.any({ doc: 'Further parameters', optional: true }) extendedParameters?: unknown;
}

/** An event: single, series, occurrence or exception. */
export class EventData {
  @Field.text({ doc: 'Folder in which it is shown, as `cal://0/31`', optional: true, readOnly: true }) folder?: string;
  @Field.id({ doc: 'Id', optional: true, readOnly: true }) id?: string;
  @Field.text({ doc: 'Globally unique id; set with a new event only', optional: true, maxLength: 1024 }) uid?: string;
  @Field.id({ doc: 'Id of the series', optional: true, readOnly: true }) seriesId?: string;
  @Field.text({ doc: 'Original start of an occurrence', optional: true, readOnly: true }) recurrenceId?: string;
  @Field.text({ doc: 'Name of the resource for CalDAV', optional: true, maxLength: 1024 }) filename?: string;
  @Field.timestamp({ doc: 'Creation, ms UTC', optional: true, readOnly: true }) created?: number;
  @Field.object(() => CalendarUserData, { doc: 'Who created it', optional: true, readOnly: true })
  createdBy?: CalendarUserData;
  @Field.timestamp({ doc: 'Stamp of the last change: what a change is compared with', optional: true, readOnly: true })
  timestamp?: number;
  @Field.timestamp({ doc: 'Last change, ms UTC', optional: true, readOnly: true }) lastModified?: number;
  @Field.object(() => CalendarUserData, { doc: 'Who changed it last', optional: true, readOnly: true })
  modifiedBy?: CalendarUserData;
  @Field.object(() => CalendarUserData, { doc: 'Owner of the calendar', optional: true })
  calendarUser?: CalendarUserData;
  @Field.text({ doc: 'Title', optional: true }) summary?: string;
  @Field.text({ doc: 'Place', optional: true }) location?: string;
  @Field.text({ doc: 'Description', optional: true, maxLength: 16_777_216 }) description?: string;
  @Field.listOf('text', { doc: 'Categories', optional: true }) categories?: string[];
  @Field.text({ doc: 'PUBLIC, CONFIDENTIAL or PRIVATE', optional: true, maxLength: 64 }) class?: string;
  @Field.text({ doc: 'Colour: a name or value of CSS', optional: true, maxLength: 255 }) color?: string;
  @Field.object(() => DateTimeData, { doc: 'Start', optional: true }) startDate?: DateTimeData;
  @Field.object(() => DateTimeData, { doc: 'End, exclusive', optional: true }) endDate?: DateTimeData;
  @Field.text({ doc: 'OPAQUE or TRANSPARENT', optional: true, maxLength: 64 }) transp?: string;
  @Field.text({ doc: 'TENTATIVE, CONFIRMED or CANCELLED', optional: true, maxLength: 64 }) status?: string;
  @Field.text({ doc: 'Recurrence rule', optional: true }) rrule?: string;
  @Field.listOf('text', { doc: 'Further occurrences', optional: true }) recurrenceDates?: string[];
  @Field.listOf('text', { doc: 'Occurrences that are events of their own', optional: true, readOnly: true })
  changeExceptionDates?: string[];
  @Field.listOf('text', { doc: 'Deleted occurrences', optional: true }) deleteExceptionDates?: string[];
  @Field.int({ doc: 'Revision', optional: true, min: 0 }) sequence?: number;
  @Field.object(() => CalendarUserData, { doc: 'Organizer', optional: true }) organizer?: CalendarUserData;
  @Field.list(() => AttendeeData, { doc: 'Attendees', optional: true }) attendees?: AttendeeData[];
  @Field.list(() => AlarmData, { doc: 'Alarms of the calendar user', optional: true }) alarms?: AlarmData[];
  @Field.list(() => EventAttachmentData, { doc: 'Files and links', optional: true, maxItems: 1000 })
  attachments?: EventAttachmentData[];
  @Field.list(() => ConferenceData, { doc: 'Conferences', optional: true, maxItems: 100 })
  conferences?: ConferenceData[];
  @Field.any({ doc: 'Further properties by name: `{value, params}`', optional: true }) extendedProperties?: unknown;
  @Field.object(() => GeoData, { doc: 'Place on the globe', optional: true }) geo?: GeoData;
  @Field.text({ doc: 'DEFAULT, or MODIFY: internal attendees act for the organizer', optional: true, maxLength: 64 })
  attendeePrivileges?: string;
  @Field.text({ doc: 'Address of a page', optional: true, maxLength: 4096 }) url?: string;
  @Field.text({ doc: 'What it belongs to: the other part of a split series', optional: true, readOnly: true })
  relatedTo?: string;
  @Field.listOf('text', { doc: 'What a list shows of it', optional: true, readOnly: true }) flags?: string[];
}

/** Names of the fields of an event. */
export type EventField = Exclude<keyof EventData, symbol>;

/** Events that one call may name: each costs the server time in one turn. */
export const MAX_EVENT_IDS = 2_000;

/** Names an event or an occurrence. */
export class EventName {
  @Field.id({ doc: 'Folder' }) folder!: string;
  @Field.id({ doc: 'Event' }) id!: string;
  @Field.text({ doc: 'Original start of an occurrence', optional: true, maxLength: 256 }) recurrenceId?: string;
}

/** Names an event, an occurrence, or an occurrence and all that follow. */
export class EventId extends EventName {
  @Field.text({ doc: 'THISANDFUTURE', optional: true, maxLength: 64 }) recurrenceRange?: string;
}

/** A change of an event: `{event, comment}`, or the fields of the event themselves. */
export class EventUpdateBody extends EventData {
  @Field.object(() => EventData, { doc: 'The fields that change', optional: true }) event?: EventData;
  @Field.text({ doc: 'Message for those who are told', optional: true }) comment?: string;
}

/** An answer, alarms of the calendar user, or both. */
export class AttendeeAndAlarmsBody {
  @Field.object(() => AttendeeData, { doc: 'The attendee with answer and comment', optional: true })
  attendee?: AttendeeData;
  @Field.list(() => AlarmData, { doc: 'Alarms of the calendar user', optional: true }) alarms?: AlarmData[];
}

/** The events to delete: `{events, comment}`, or their names themselves. */
export class EventDeletionBody {
  @Field.list(() => EventId, { doc: 'Events and occurrences', optional: true, maxItems: MAX_EVENT_IDS })
  events?: EventId[];
  @Field.text({ doc: 'Message for those who are told', optional: true }) comment?: string;
  @Field.id({ doc: 'Folder, of an event itself', optional: true }) folder?: string;
  @Field.id({ doc: 'Event, of an event itself', optional: true }) id?: string;
  @Field.text({ doc: 'Original start of an occurrence', optional: true, maxLength: 256 }) recurrenceId?: string;
  @Field.text({ doc: 'THISANDFUTURE', optional: true, maxLength: 64 }) recurrenceRange?: string;
}

/** Something in the way of an event. */
export class EventConflict {
  @Field.boolean({ doc: 'A resource is booked: cannot be ignored' }) hard_conflict!: boolean;
  @Field.list(() => AttendeeData, { doc: 'Who is busy' }) conflicting_attendees!: AttendeeData[];
  @Field.object(() => EventData, { doc: 'Of foreign events the times only' }) event!: EventData;
}

/** The result of a change; or only conflicts, and nothing is stored. */
export class CalendarResult {
  @Field.list(() => EventData, { doc: 'New events', optional: true }) created?: EventData[];
  @Field.list(() => EventData, { doc: 'Changed events', optional: true }) updated?: EventData[];
  @Field.list(() => EventData, { doc: 'Events that are gone', optional: true }) deleted?: EventData[];
  @Field.list(() => EventConflict, { doc: 'What is in the way', optional: true }) conflicts?: EventConflict[];
}

/** The outcome of one of several changes. */
export class CalendarItemResult extends CalendarResult {
  @Field.text({ doc: 'Folder' }) folderId!: string;
  @Field.id({ doc: 'Event' }) id!: string;
  @Field.text({ doc: 'Original start of an occurrence', optional: true }) recurrenceId?: string;
  @Field.timestamp({ doc: 'Stamp of the change', optional: true }) timestamp?: number;
  @Field.any({ doc: 'Why nothing was changed', optional: true }) error?: object;
}

/** The new organizer of an event. */
export class EventOrganizerBody {
  @Field.object(() => CalendarUserData, { doc: 'The new organizer' }) organizer!: CalendarUserData;
  @Field.text({ doc: 'Message for those who are told', optional: true }) comment?: string;
}
