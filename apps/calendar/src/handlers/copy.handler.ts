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
import { AppointmentCreator } from '../appointment-creator';
import { type Appointment, type AppointmentContent, type Attendee, attendeeOf } from '../domain/appointment';
import { appointmentId } from '../domain/appointment-id';
import { participantData } from '../domain/appointment-wire';
import { requestZone } from '../domain/request-zone';
import { calendarFolderId, FolderAccess, isIn, visibilityOf } from '../folder-access';
import { PeopleDirectory } from '../participants/people-directory';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `copy`: a new appointment like another one; whoever copies it organizes the copy. */
@Handles(calendarAnswers.copy)
export class CopyHandler implements Handler<typeof calendarAnswers.copy> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly access: FolderAccess,
    private readonly people: PeopleDirectory,
    private readonly creator: AppointmentCreator,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendarAnswers.copy>) {
    const id = appointmentId(query.id, principal.contextId);
    const folderId = calendarFolderId(query.folder);
    const goal = calendarFolderId(body.folder_id ?? query.folder);
    const original = await this.original(principal, id, folderId);
    const alarm = attendeeOf(original, principal.userId)?.alarm;
    const { stamp, ...result } = await this.creator.create(principal, {
      folderId: goal,
      content: copied(original),
      participants: await this.stillThere(principal, original.attendees),
      own: alarm == null ? {} : { alarm },
      checkUid: false,
      ignoreSoft: query.ignore_conflicts,
      zone: requestZone(query.timezone, principal.timeZone),
    });
    return reply<AppointmentCreation>(result, stamp === undefined ? {} : { timestamp: stamp });
  }

  private original(user: UserPrincipal, id: number, folderId: number): Promise<Appointment> {
    return this.database.read(
      user,
      async (db) => {
        const folder = await this.access.of(db, user, folderId);
        const appointment = await this.appointments.find(db, id);
        if (!appointment) throw ObjectErrors.notFound(id, user.contextId);
        if (!isIn(appointment, folder)) throw AppointmentErrors.wrongFolder(id, folderId);
        if (visibilityOf(appointment, folder, user) !== 'full') throw AppointmentErrors.notReadable(id);
        return appointment;
      },
      { snapshot: true },
    );
  }

  /** Participants of the original as a client would name them, without those who are gone from the directory. */
  private async stillThere(user: UserPrincipal, attendees: readonly Attendee[]): Promise<AppointmentParticipant[]> {
    const named = attendees.filter(({ listed, hidden }) => listed && !hidden).map(participantData);
    const { entities } = await this.people.of(user, named, []);
    return named.filter(({ id }) => id === undefined || entities.has(id));
  }
}

/** The content of a copy: no unique id, no exceptions, an organizer of its own. */
function copied(original: Appointment): AppointmentContent {
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
