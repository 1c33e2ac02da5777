import type { FileCopyRequest } from '../attachments/attachment-owner.contract';
import type { FoldersWithdrawn } from '../folders/folder-owner.contract';
import { event, eventCatalog } from '../kit';
import type { AddedParticipants } from '../objects/added-participants';
import type { MailTemplate, MailValues } from '../outgoing-mail/outgoing-mail.model';
import type { ParticipantNotice } from '../outgoing-mail/participant-notice';

/** Which appointment changed, and whom it concerns. */
export interface AppointmentChange {
  readonly id: number;
  /** Id of the series, for series and exceptions. */
  readonly seriesId?: number;
  /** Folders in which the appointment is, or was before the change. */
  readonly folders: readonly number[];
  /** Users who take part, or did before the change. */
  readonly users: readonly number[];
  /** Resources booked, now or before the change. */
  readonly resources: readonly number[];
  /** Globally unique id, shared by a series and its exceptions. */
  readonly uid: string;
  /** User who changed it; absent when no user did, as when the members of a group change. */
  readonly by?: number;
  /** Stamp of the change: `last_modified` of the appointment, ms UTC. */
  readonly stamp?: number;
  /** Push token of the client that changed it, hashed for each transport: subscriptions of that user with it are not told. */
  readonly notTold?: readonly string[];
  /**
   * Earliest start and latest end, now or before the change, ms UTC (wall-clock ms for whole days); `toMs` is absent for
   * series without end. Consumers that keep busy times look at this period again.
   */
  readonly fromMs: number;
  readonly toMs?: number;
  /** Times, participants, answers or shown_as differ: busy times of a user or resource may, too. */
  readonly busy: boolean;
}

/** Which calendar folder changed. */
export interface CalendarFolderChange {
  readonly folderId: number;
}

/** Request of a user to tell users and groups about a calendar folder. */
export interface CalendarFolderShared extends CalendarFolderChange {
  /** User who shares it. */
  readonly userId: number;
  /** Title of the folder. */
  readonly title?: string;
  readonly entities: readonly number[];
  /** Text for those who are told. */
  readonly message?: string;
}

/** Groups that a user invited. */
export interface UsedGroups {
  readonly userId: number;
  readonly groupIds: readonly number[];
}

/** A mail address with a name. */
export interface CalendarAddress {
  readonly address: string;
  readonly name?: string;
}

/** A scheduling message (RFC 5546) that is to leave by mail (RFC 6047). */
export interface OutgoingScheduling {
  /** User who caused it, whose language the text is in. */
  readonly userId: number;
  /** The organizer or attendee for whom it speaks. */
  readonly from: CalendarAddress;
  /** Each gets a mail of its own. */
  readonly recipients: readonly CalendarAddress[];
  /** METHOD. */
  readonly method: string;
  /** iCalendar text. */
  readonly calendar: string;
  /** For each VEVENT of the text, in its order, the event whose files go with it; null where none do. Absent: no files. */
  readonly filesOf?: readonly (number | null)[];
  readonly template: MailTemplate;
  readonly values: MailValues;
}

/** An alarm of a user whose time has come, and that is to leave by mail. */
export interface AlarmMail {
  readonly userId: number;
  readonly eventId: number;
  /** When the alarm was due, ms UTC. */
  readonly alarm: number;
  readonly summary: string | null;
  readonly location: string | null;
  readonly description: string | null;
  /** Start of the event or occurrence, ms UTC; wall-clock ms with `floating`. */
  readonly startMs: number;
  /** Its exclusive end, likewise. */
  readonly endMs: number;
  /** Whole days and times without zone. */
  readonly floating: boolean;
  readonly wholeDays: boolean;
}

/** Events of the calendar service. */
export const calendarEvents = eventCatalog('calendar', {
  'appointment.created': event<AppointmentChange>('An appointment exists'),
  'appointment.changed': event<AppointmentChange>('An appointment, its answers or its exceptions changed'),
  'appointment.deleted': event<AppointmentChange>('An appointment is gone'),
  'file-copy.requested': event<FileCopyRequest>(
    'An exception, or a part of a series that was split, is to have the files of its series',
  ),
  'import.finished': event<{ folderId: number; userId: number }>('Many appointments of a folder changed at once'),
  'scheduling.requested': event<OutgoingScheduling>('Attendees or an organizer elsewhere are to be told by mail'),
  'notice.requested': event<ParticipantNotice>('Users are to be told by mail what became of an event that they attend'),
  'attendees.added': event<AddedParticipants>('A user invited people to an event'),
  'groups.used': event<UsedGroups>('A user invited groups that the client had resolved'),
  'alarm-mail.requested': event<AlarmMail>(
    'The time of an alarm has come that its user wants by mail: once for each alarm, occurrence and user',
  ),
  'folder.created': event<CalendarFolderChange>('A calendar folder exists'),
  'folder.changed': event<CalendarFolderChange>('Name, place or permissions of a calendar folder changed'),
  'folder.shared': event<CalendarFolderShared>('Users and groups are to be told about a calendar folder'),
  'folders.withdrawn': event<FoldersWithdrawn>('Somebody has no right of his own on any calendar folder any more'),
  'folder.deleted': event<CalendarFolderChange>('A calendar folder and its appointments are gone'),
});
