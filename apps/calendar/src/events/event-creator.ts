import { Injectable } from '@nestjs/common';
import { CalendarErrors, type EventData, type EventCreationQuery, type UserPrincipal } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { resolveTimeZone } from '@groupware/recurrence';
import { AppointmentCreator } from '../appointments/appointment-creator';
import type { SeenConflict } from '../conflicts/conflict-check';
import type { Appointment } from '../domain/appointment';
import { FeedRefusal } from '../feeds/feed-refusal';
import { parseEventFolder } from '../folders/folder-access';
import { refineAttendees, setAlarms, toParticipants } from './event-attendees';
import { asEvent } from './event-errors';
import { EventFiles } from './event-files';
import { parseNewEvent } from './event-input';
import { mailOf } from './event-people';
import { toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';
import { EventResults, type EventChanges, type ResultRequest } from './event-results';
import { EventSettings } from './event-settings';
import { parseUsedGroups } from './used-groups';

/** The outcome of a creation: the changes, or conflicts. */
export type EventCreation = { readonly changes: EventChanges } | { readonly conflicts: readonly SeenConflict[] };

/** Stores new events, unless something stands in the way. */
@Injectable()
export class EventCreator {
  constructor(
    private readonly creator: AppointmentCreator,
    private readonly directory: Directory,
    private readonly results: EventResults,
    private readonly refusal: FeedRefusal,
    private readonly files: EventFiles,
    private readonly settings: EventSettings,
  ) {}

  /** The errors of `chronos?action=new`. Attendees of an event with files are told when these are stored. */
  async createEvent(
    user: UserPrincipal,
    query: EventCreationQuery,
    body: EventData,
    request: ResultRequest,
    hasFiles = false,
  ): Promise<EventCreation> {
    await this.refusal.requireOwnCalendars(user, query.folder);
    const folderId = parseEventFolder(query.folder);
    const usedGroups = parseUsedGroups(query.usedGroups);
    await this.settings.requireFewAlarms(user, body.alarms);
    const { attendees: wire = [], entities } = await this.settings.resolveAttendees(user, body.attendees);
    const organizer = await this.findOrganizer(user, body);
    const ofOutside = organizer === undefined ? body : { ...body, organizer: undefined };
    const copiedFiles = await this.files.findSource(user, body);
    const awaitsFiles = hasFiles || copiedFiles !== undefined;
    const content = parseNewEvent(ofOutside, resolveTimeZone(user.timeZone) ?? 'UTC');
    const { stored, conflicts = [] } = await asEvent('', () =>
      this.creator.storeAppointment(user, {
        folderId,
        content,
        participants: toParticipants(wire, entities),
        own: {},
        checkUid: Boolean(body.uid),
        ignoreSoft: !query.checkConflicts,
        isEvent: true,
        scheduling: { scope: toSchedulingScope(query), awaitsFiles },
        pushToken: query.pushToken,
        usedGroups,
        copiedFiles,
        refine: (attendees, people, owner) => {
          // The owner of the calendar organizes what is made in it.
          if (organizer !== undefined && organizer !== owner)
            throw CalendarErrors.badCalendarUser(body.organizer?.uri ?? '', organizer, 'organizer');
          const ofExternal = content.organizer !== null;
          const refinement = { wire, calendarUser: owner, people, before: [], eventId: 0, ofExternal };
          return setAlarms(refineAttendees(attendees, refinement), owner, body.alarms, 0);
        },
        check: (created) => this.results.requireAnswerable(request, toChanges(created)),
      }),
    );
    if (!stored) return { conflicts };
    return { changes: { ...toChanges(stored), awaitsFiles } };
  }

  /** The user of the context who is named as organizer; undefined where there is none, and for an organizer elsewhere. */
  private async findOrganizer(user: UserPrincipal, { organizer }: EventData): Promise<number | undefined> {
    if (organizer?.entity) return organizer.entity;
    const mail = mailOf(organizer?.uri ?? '') ?? organizer?.email;
    return mail ? (await this.directory.findByAddresses(user, [mail])).get(mail.toLowerCase())?.id : undefined;
  }
}

const toChanges = (stored: Appointment): EventChanges => ({
  folder: { id: stored.folderId, createdBy: stored.owner, calendarUser: stored.owner },
  stamp: stored.lastModified,
  created: [stored],
  changed: [],
  removed: [],
});
