import {
  chronosChanges,
  CalendarErrors,
  reply,
  type CalendarResult,
  type CallOf,
  type EventData,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { resolveTimeZone } from '@groupware/recurrence';
import { Handles } from '@groupware/service-kit';
import { AppointmentCreator } from '../appointments/appointment-creator';
import { listEntities, refineAttendees, setAlarms, toParticipants } from '../events/event-attendees';
import { asEvent } from '../events/event-errors';
import { parseNewEvent } from '../events/event-input';
import { mailOf } from '../events/event-people';
import { EventResults, type EventChanges } from '../events/event-results';
import type { Appointment } from '../domain/appointment';
import { parseEventFolder } from '../folders/folder-access';

/** `chronos?action=new`: an event or a series, unless something stands in the way. */
@Handles(chronosChanges.new)
export class ChronosNewHandler implements Handler<typeof chronosChanges.new> {
  constructor(
    private readonly creator: AppointmentCreator,
    private readonly directory: Directory,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosChanges.new>) {
    const request = await this.results.prepare(principal, query);
    const folderId = parseEventFolder(query.folder);
    const wire = body.attendees ?? [];
    const entities = await this.directory.getEntities(principal, listEntities(wire));
    const organizer = await this.findOrganizer(principal, body);
    const elsewhere = organizer === undefined ? body : { ...body, organizer: undefined };
    const content = parseNewEvent(elsewhere, resolveTimeZone(principal.timeZone) ?? 'UTC');
    const toChanges = (stored: Appointment): EventChanges => ({
      folder: { id: folderId, createdBy: stored.owner, calendarUser: stored.owner },
      stamp: stored.lastModified,
      created: [stored],
      changed: [],
      removed: [],
    });
    const { stored, conflicts = [] } = await asEvent('', () =>
      this.creator.storeAppointment(principal, {
        folderId,
        content,
        participants: toParticipants(wire, entities),
        own: {},
        checkUid: Boolean(body.uid),
        ignoreSoft: !query.checkConflicts,
        isEvent: true,
        refine: (attendees, people, owner) => {
          // Whoever owns the calendar organizes what is made in it.
          if (organizer !== undefined && organizer !== owner)
            throw CalendarErrors.badCalendarUser(body.organizer?.uri ?? '', organizer, 'organizer');
          return setAlarms(
            refineAttendees(attendees, {
              ...{ wire, calendarUser: owner, people, before: [], eventId: 0 },
              ofExternal: content.organizer !== null,
            }),
            owner,
            body.alarms,
            0,
          );
        },
        check: (created) => this.results.requireAnswerable(request, toChanges(created)),
      }),
    );
    if (!stored) return reply<CalendarResult>(await this.results.toConflicts(request, conflicts), {});
    return reply<CalendarResult>(await this.results.toResult(request, toChanges(stored)), {
      timestamp: stored.lastModified,
    });
  }

  /** The user of the context who is named as organizer; undefined for nobody and for somebody elsewhere. */
  private async findOrganizer(user: UserPrincipal, { organizer }: EventData): Promise<number | undefined> {
    if (organizer?.entity) return organizer.entity;
    const mail = mailOf(organizer?.uri ?? '') ?? organizer?.email;
    return mail ? (await this.directory.findByAddresses(user, [mail])).get(mail.toLowerCase())?.id : undefined;
  }
}
