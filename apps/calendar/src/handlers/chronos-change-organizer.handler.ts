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
import { AppointmentQuota } from '../appointments/appointment-quota';
import { type AppointmentTarget, AppointmentTargets, requireUnchanged } from '../appointments/appointment-target';
import { AppointmentWriter, type ChangedAppointment } from '../appointments/appointment-writer';
import {
  type Appointment,
  type Attendee,
  CONFIRM,
  findAttendee,
  findOwnFolder,
  isException,
  PARTICIPANT,
} from '../domain/appointment';
import { createOwnerAttendee } from '../domain/owner-attendee';
import { asEvent } from '../events/event-errors';
import { parseEventId, toOccurrenceName } from '../events/event-finder';
import { organizerIdOf } from '../domain/organizer';
import { isScheduled, mailOf } from '../events/event-people';
import { EventResults, type EventChanges, toEventChanges } from '../events/event-results';
import { mergeChanges, SeriesSplitter } from '../events/series-splitter';
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
    private readonly splitter: SeriesSplitter,
    private readonly quota: AppointmentQuota,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosChanges.changeOrganizer>) {
    await this.refusal.requireOwnCalendars(principal, query.folder);
    const request = await this.results.prepare(principal, query);
    const [id, folderId] = [parseEventId(query.id), parseEventFolder(query.folder)];
    const isAllowed = await this.properties.get(ALLOW_CHANGE_OF_ORGANIZER, principal);
    // Of a series the rest from an occurrence on may pass on, but no single one.
    const isRange = Boolean(query.recurrenceId && query.recurrenceRange);
    if (!isAllowed || (query.recurrenceId && !isRange)) throw CalendarErrors.changeForbidden(id, 'organizer');
    if (query.recurrenceRange && !isRange) throw CalendarErrors.badSplit(id, '');
    const maxAppointments = await this.quota.getLimit(principal);
    const organizer = await this.findUser(principal, body.organizer);
    const changes = await asEvent(query.id, () =>
      this.database.transact(principal, async (tx): Promise<EventChanges> => {
        this.writer.leaveOut(tx, query.pushToken);
        const target = await this.targets.lockTarget(tx, principal, id, folderId);
        requireUnchanged(target.appointment, query.timestamp, target.folder);
        requireChangeable(target, principal);
        const split = isRange
          ? await this.splitter.splitStored(
              tx,
              principal,
              target,
              toOccurrenceName(query.recurrenceId),
              maxAppointments,
            )
          : undefined;
        const changed = await this.appoint(tx, split?.target ?? target, organizer);
        const written = await this.writer.writeChanges(tx, principal.userId, { changed });
        const merged = mergeChanges({
          created: [...(split?.created ?? []), ...written.created],
          changed: [...(split?.changed ?? []), ...written.changed],
          removed: [],
        });
        const scheduling = { scope: toSchedulingScope(query), comment: body.comment };
        await this.outbox.announce(tx, principal, merged, scheduling);
        return toEventChanges(target.folder, { ...written, ...merged });
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

  /** The event and its exceptions with their new organizer, who attends them; those of a private calendar are his then. */
  private async appoint(tx: Transaction, { appointment, exceptions }: AppointmentTarget, organizer: DirectoryUser) {
    const { id, email: mail, displayName } = organizer;
    const people = { entities: new Map([[id, organizer]]), byAddress: new Map() };
    const invited = createOwnerAttendee(id, { direct: false, confirm: CONFIRM.none, mail, displayName });
    const changed: ChangedAppointment[] = [];
    for (const before of [appointment, ...exceptions]) {
      const attends = findAttendee(before, id)?.hidden === false;
      const others = before.attendees.filter((each) => attends || !isUser(each, id));
      const place = { type: before.isPublic ? (2 as const) : (1 as const), createdBy: before.owner };
      const attendees = await this.places.assignCalendars(tx, attends ? others : [...others, invited], place, people);
      const after = {
        ...before,
        organizer: mail,
        organizerId: id,
        principal: null,
        principalId: null,
        sequence: before.sequence + 1,
        attendees,
      };
      changed.push({ before, after: before.isPublic ? after : giveTo(after, id) });
    }
    return changed;
  }
}

const isUser = ({ type, entity }: Attendee, userId: number): boolean => type === PARTICIPANT.user && entity === userId;

/** An event in the calendar in which an attendee has it; the earlier owner keeps it in his own, as an attendee. */
function giveTo(event: Appointment, userId: number): Appointment {
  if (event.owner === userId) return event;
  const attendees = event.attendees.map((each) => {
    if (isUser(each, userId)) return { ...each, folderId: null, direct: true };
    return isUser(each, event.owner) ? { ...each, folderId: event.folderId, direct: false } : each;
  });
  return { ...event, owner: userId, folderId: findOwnFolder(event, userId)!, attendees };
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
