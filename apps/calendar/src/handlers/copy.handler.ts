import { randomUUID } from 'node:crypto';
import {
  AppointmentErrors,
  calendarAnswers,
  ObjectErrors,
  reply,
  type AppointmentCreation,
  type AppointmentParticipant,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AppointmentCreator } from '../appointments/appointment-creator';
import { type Appointment, type AppointmentContent, type Attendee, findAttendee } from '../domain/appointment';
import { parseAppointmentId } from '../domain/appointment-id';
import { toParticipantData } from '../domain/appointment-wire';
import { resolveRequestZone } from '../domain/request-zone';
import { FeedRefusal } from '../feeds/feed-refusal';
import { parseCalendarFolderId, FolderAccess, isSeenIn, visibilityOf } from '../folders/folder-access';
import { PeopleDirectory } from '../participants/people-directory';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `copy`: a new appointment like another one, organized by the user who copies it. */
@Handles(calendarAnswers.copy)
export class CopyHandler implements Handler<typeof calendarAnswers.copy> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly people: PeopleDirectory,
    private readonly creator: AppointmentCreator,
    private readonly refusal: FeedRefusal,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendarAnswers.copy>) {
    await this.refusal.requireOwnCalendars(principal, query.folder, ...(body.folder_id ? [body.folder_id] : []));
    const id = parseAppointmentId(query.id, principal.contextId);
    const folderId = parseCalendarFolderId(query.folder);
    const goal = parseCalendarFolderId(body.folder_id ?? query.folder);
    const original = await this.loadOriginal(principal, id, folderId);
    const alarm = findAttendee(original, principal.userId)?.alarm;
    const copied = {
      folderId: goal,
      content: toCopyContent(original),
      participants: await this.listExistingParticipants(principal, original.attendees),
      own: alarm == null ? {} : { alarm },
      checkUid: false,
      ignoreSoft: query.ignore_conflicts,
    };
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const { stamp, ...result } = await this.creator.createAppointment(principal, copied, zone);
    return reply<AppointmentCreation>(result, stamp === undefined ? {} : { timestamp: stamp });
  }

  private loadOriginal(user: UserPrincipal, id: number, folderId: number): Promise<Appointment> {
    return this.database.read(
      user,
      async (db) => {
        const folder = await this.access.requireFolder(db, user, folderId);
        const appointment = await this.appointments.findById(db, id);
        if (!appointment) throw ObjectErrors.notFound(id, user.contextId);
        if (!isSeenIn(appointment, folder)) throw AppointmentErrors.wrongFolder(id, folderId);
        if (visibilityOf(appointment, folder, user) !== 'full') throw AppointmentErrors.notReadable(id);
        return appointment;
      },
      { snapshot: true },
    );
  }

  /** Participants of the original as a client would name them, without those who are gone from the directory. */
  private async listExistingParticipants(
    user: UserPrincipal,
    attendees: readonly Attendee[],
  ): Promise<AppointmentParticipant[]> {
    const named = attendees.filter(({ listed, hidden }) => listed && !hidden).map(toParticipantData);
    const { entities } = await this.people.loadPeople(user, named, []);
    return named.filter(({ id }) => id === undefined || entities.has(id));
  }
}

/** The content of a copy: no unique id, no exceptions, an organizer of its own. */
function toCopyContent(original: Appointment): AppointmentContent {
  const { startMs, endMs, timeZone, fullTime, floating, title, location, note, shownAs, classification } = original;
  const { color, categories, rule, rdates } = original;
  return {
    ...{ startMs, endMs, timeZone, fullTime, floating, title, location, note, shownAs, classification },
    ...{ color, categories, rule, rdates },
    uid: randomUUID(),
    organizer: null,
    organizerId: null,
    principal: null,
    principalId: null,
    sequence: 0,
    exdates: null,
    extra: null,
  };
}
