import {
  AppointmentErrors,
  calendar,
  MAX_PARTICIPANTS,
  reply,
  RequestErrors,
  type AppointmentCreation,
  type AppointmentData,
  type AppointmentParticipant,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { RANK } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { AppointmentWriter } from '../appointment-writer';
import { ConflictCheck } from '../conflict-check';
import { type Appointment, PARTICIPANT, usersOf } from '../domain/appointment';
import { newContent } from '../domain/appointment-input';
import { attendeeList, type People } from '../domain/attendee-list';
import { withRangeEnd } from '../domain/exception';
import { withOwnAnswer } from '../domain/own-answer';
import { requestZone } from '../domain/request-zone';
import { type AccessedFolder, calendarFolderId, FolderAccess } from '../folder-access';
import { AttendeePlaces } from '../participants/attendee-places';
import { FirstAnswers } from '../participants/first-answers';
import { PeopleDirectory } from '../participants/people-directory';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `new`: a single appointment or a series, unless something stands in the way. */
@Handles(calendar.new)
export class NewHandler implements Handler<typeof calendar.new> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly writer: AppointmentWriter,
    private readonly access: FolderAccess,
    private readonly people: PeopleDirectory,
    private readonly answers: FirstAnswers,
    private readonly places: AttendeePlaces,
    private readonly conflicts: ConflictCheck,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.new>) {
    if (body.id != null) throw AppointmentErrors.idGiven();
    if (!body.folder_id) throw RequestErrors.missingParameter('folder');
    const folderId = calendarFolderId(body.folder_id);
    const zone = requestZone(query.timezone, principal.timeZone);
    const content = newContent(body, zone, principal);
    const wanted = wantedParticipants(body);

    // Everything that other services know is asked before the transaction.
    const seen = await this.database.read(principal, (db) => this.access.of(db, principal, folderId));
    const addresses = [content.organizer, content.principal].filter((mail) => mail !== null);
    const people = await this.people.of(
      principal,
      [...wanted, ...addresses.map((mail) => ({ type: PARTICIPANT.external, mail }))],
      [seen.calendarUser],
    );
    const [firstAnswer, limits, maxAttendees] = await Promise.all([
      this.answers.of(principal, people, seen.type === 2),
      this.conflicts.limits(principal),
      this.properties.get(MAX_PARTICIPANTS, { contextId: principal.contextId }),
    ]);

    const outcome = await this.database.transact(
      principal,
      async (tx): Promise<AppointmentCreation & { stamp?: number }> => {
        const folder = await this.access.forWrite(tx, principal, folderId);
        if (folder.rights.folder < RANK.createObjects) throw AppointmentErrors.notCreatable(folderId);
        const owner = folder.calendarUser;
        const listed = attendeeList({ wanted, owner, before: [], people, firstAnswer, maxAttendees });
        const answered = withOwnAnswer(listed, owner, body);
        requirePrivate(content.classification, folder, principal, answered);
        if (body.uid && (await this.appointments.idOfUid(tx, content.uid, owner, folderId)) !== undefined)
          throw AppointmentErrors.uidTaken(content.uid);
        const appointment: Appointment = withRangeEnd({
          ...content,
          ...organizer(content, folder, principal, people),
          id: content.rule === null ? 0 : -1,
          seriesId: content.rule === null ? null : -1,
          folderId,
          isPublic: folder.type === 2,
          owner,
          recurrenceLocalMs: null,
          position: null,
          rangeEndMs: 0,
          changes: null,
          createdBy: principal.userId,
          modifiedBy: principal.userId,
          created: 0,
          lastModified: 0,
          attachments: 0,
          newestAttachment: null,
          attendees: await this.places.place(tx, answered, folder, people),
        });
        const conflicts = await this.conflicts.find(tx, principal, {
          appointment,
          ignoreSoft: body.ignore_conflicts ?? false,
          zone,
          limits,
        });
        if (conflicts.length > 0) return { conflicts };
        const { stamp, created } = await this.writer.write(tx, principal.userId, {
          created: [{ ...appointment, seriesId: appointment.seriesId === null ? null : 0 }],
        });
        return { id: String(created[0]!.id), stamp };
      },
    );
    const { stamp, ...result } = outcome;
    return reply<AppointmentCreation>(result, stamp === undefined ? {} : { timestamp: stamp });
  }
}

/** Participants of a body; some clients name users only. */
const wantedParticipants = (body: AppointmentData): AppointmentParticipant[] =>
  body.participants ?? (body.users ?? []).map(({ id }) => ({ type: PARTICIPANT.user, id }));

function requirePrivate(
  classification: number,
  folder: AccessedFolder,
  user: UserPrincipal,
  attendees: Appointment['attendees'],
): void {
  if (classification === 0) return;
  if (folder.type !== 1 || folder.createdBy !== user.userId) throw AppointmentErrors.privateNotHere();
  if (attendees.length > usersOf({ attendees }).length || attendees.length > 1)
    throw AppointmentErrors.privateWithParticipants();
}

/** Who organizes: whoever a client names, else the user; the owner of the calendar stands beside when he is somebody else. */
function organizer(
  content: Pick<Appointment, 'organizer' | 'principal'>,
  folder: AccessedFolder,
  user: UserPrincipal,
  people: People,
): Pick<Appointment, 'organizer' | 'organizerId' | 'principal' | 'principalId'> {
  const internal = (mail: string): number | null => people.byAddress.get(mail.toLowerCase())?.id ?? null;
  const owner = people.entities.get(folder.calendarUser);
  const onBehalf = folder.calendarUser !== user.userId;
  return {
    organizer: content.organizer ?? user.email,
    organizerId: content.organizer === null ? user.userId : internal(content.organizer),
    principal: content.principal ?? (onBehalf && owner?.kind === 'user' ? owner.email : null),
    principalId: content.principal === null ? (onBehalf ? folder.calendarUser : null) : internal(content.principal),
  };
}
