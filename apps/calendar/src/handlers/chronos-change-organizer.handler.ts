import {
  ALLOW_CHANGE_OF_ORGANIZER,
  APPOINTMENT_RIGHTS,
  CalendarErrors,
  chronosChanges,
  recordCheck,
  type CallOf,
  type DirectoryUser,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { coversObject } from '@groupware/folders';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { type AppointmentTarget, AppointmentTargets, requireUnchanged } from '../appointments/appointment-target';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { type Appointment, findAttendee, isException, PARTICIPANT } from '../domain/appointment';
import { createOwnerAttendee } from '../domain/owner-attendee';
import { asEvent } from '../events/event-errors';
import { parseEventId } from '../events/event-finder';
import { organizerIdOf } from '../domain/organizer';
import { isScheduled, mailOf } from '../events/event-people';
import { EventResults, type EventChanges, toEventChanges } from '../events/event-results';
import { FeedRefusal } from '../feeds/feed-refusal';
import { parseEventFolder } from '../folders/folder-access';
import { SchedulingOutbox, toSchedulingScope } from '../scheduling/outgoing/scheduling-outbox';
import { AttendeeCalendars } from '../participants/attendee-calendars';

/** `chronos?action=changeOrganizer`: another internal user organizes an event, where that is switched on. */
@Handles(chronosChanges.changeOrganizer)
export class ChronosChangeOrganizerHandler implements Handler<typeof chronosChanges.changeOrganizer> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
    private readonly places: AttendeeCalendars,
    private readonly directory: Directory,
    private readonly properties: Properties,
    private readonly results: EventResults,
    private readonly outbox: SchedulingOutbox,
    private readonly refusal: FeedRefusal,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosChanges.changeOrganizer>) {
    await this.refusal.requireOwnCalendars(principal, query.folder);
    const request = await this.results.prepare(principal, query);
    const [id, folderId] = [parseEventId(query.id), parseEventFolder(query.folder)];
    const isAllowed = await this.properties.get(ALLOW_CHANGE_OF_ORGANIZER, principal);
    if (!isAllowed || query.recurrenceId || query.recurrenceRange)
      throw CalendarErrors.changeForbidden(id, 'organizer');
    const organizer = await this.findUser(principal, body.organizer);
    const changes = await asEvent(query.id, () =>
      this.database.transact(principal, async (tx): Promise<EventChanges> => {
        this.writer.leaveOut(tx, query.pushToken);
        const target = await this.targets.lockTarget(tx, principal, id, folderId);
        requireUnchanged(target.appointment, query.timestamp);
        requireChangeable(target, principal);
        const changed = await this.appoint(tx, target, organizer);
        const written = await this.writer.writeChanges(tx, principal.userId, { changed });
        const scheduling = { scope: toSchedulingScope(query), comment: body.comment };
        await this.outbox.announce(tx, principal, written, scheduling);
        return toEventChanges(target.folder, written);
      }),
    );
    return this.results.toReply(request, { changes });
  }

  /** CAL-4034 for anybody but a user of the context. */
  private async findUser(
    user: UserPrincipal,
    { entity, uri, email }: CallOf<typeof chronosChanges.changeOrganizer>['body']['organizer'],
  ): Promise<DirectoryUser> {
    const mail = mailOf(uri ?? '') ?? email;
    const found = entity
      ? (await this.directory.getEntities(user, [entity])).get(entity)
      : mail
        ? (await this.directory.findByAddresses(user, [mail])).get(mail.toLowerCase())
        : undefined;
    if (found?.kind !== 'user') throw CalendarErrors.badCalendarUser(uri ?? email ?? '', entity ?? '', 'organizer');
    return found;
  }

  /** The event and its exceptions with their new organizer, who attends them. */
  private async appoint(tx: Transaction, { appointment, exceptions }: AppointmentTarget, organizer: DirectoryUser) {
    const changed: { before: Appointment; after: Appointment }[] = [];
    const people = { entities: new Map([[organizer.id, organizer]]), byAddress: new Map() };
    for (const before of [appointment, ...exceptions]) {
      const attends = findAttendee(before, organizer.id);
      const invited = { direct: false, confirm: 0, mail: organizer.email, displayName: organizer.displayName };
      const attendees = attends ? before.attendees : [...before.attendees, createOwnerAttendee(organizer.id, invited)];
      const place = { type: before.isPublic ? (2 as const) : (1 as const), createdBy: before.owner };
      changed.push({
        before,
        after: {
          ...before,
          organizer: organizer.email,
          organizerId: organizer.id,
          principal: null,
          principalId: null,
          sequence: before.sequence + 1,
          attendees: await this.places.assignCalendars(tx, attendees, place, people),
        },
      });
    }
    return changed;
  }
}

/** Only the organizer passes on what has internal attendees alone (CAL-4035); writing needs its right (CAL-4031). */
function requireChangeable(
  { folder, appointment, exceptions, asAttendee }: AppointmentTarget,
  user: UserPrincipal,
): void {
  recordCheck(APPOINTMENT_RIGHTS.write);
  if (!coversObject(folder.rights.write, appointment.createdBy === user.userId))
    throw CalendarErrors.noWritePermission(folder.id);
  const isInternal = [appointment, ...exceptions].every(({ attendees }) =>
    attendees.every(({ type }) => type !== PARTICIPANT.external && type !== PARTICIPANT.externalGroup),
  );
  if (!isInternal || organizerIdOf(appointment) === undefined || !isScheduled(appointment) || isException(appointment))
    throw CalendarErrors.changeForbidden(appointment.id, 'organizer');
  if (asAttendee && organizerIdOf(appointment) !== user.userId) throw CalendarErrors.notOrganizer();
}
