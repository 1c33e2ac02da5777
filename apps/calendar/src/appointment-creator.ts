import { Injectable } from '@nestjs/common';
import {
  AppointmentErrors,
  CalendarErrors,
  CatalogueError,
  MAX_PARTICIPANTS,
  RequestErrors,
  type AppointmentCreation,
  type AppointmentData,
  type AppointmentParticipant,
  type UserPrincipal,
} from '@groupware/contracts';
import { RANK } from '@groupware/folders';
import { ModuleDatabase, together, type Transaction } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import { Properties } from '@groupware/service-kit';
import { AppointmentQuota } from './appointment-quota';
import { AppointmentWriter } from './appointment-writer';
import { ConflictCheck, type ConflictLimits } from './conflict-check';
import { type Appointment, type AppointmentContent, type Attendee, PARTICIPANT } from './domain/appointment';
import { attendeeList, type People } from './domain/attendee-list';
import { newAppointment, toStore } from './domain/new-appointment';
import { withOwnAnswer } from './domain/own-answer';
import { requireClassFits } from './domain/private-rules';
import { type AccessedFolder, FolderAccess, type FolderOwnership } from './folder-access';
import { AttendeePlaces, homeless, placed } from './participants/attendee-places';
import { type FirstAnswer, FirstAnswers } from './participants/first-answers';
import { type GroupsSeen, GroupWatch } from './participants/group-watch';
import { PeopleDirectory } from './participants/people-directory';
import { AppointmentRepository } from './persistence/appointment.repository';

/** An appointment that somebody wants to have. */
export interface WantedAppointment {
  readonly folderId: number;
  readonly content: AppointmentContent;
  readonly participants: readonly AppointmentParticipant[];
  /** Answer, message and alarm of the calendar user. */
  readonly own: Pick<AppointmentData, 'users' | 'alarm'>;
  /** Refuse a unique id that the calendar user has already. */
  readonly checkUid: boolean;
  readonly ignoreSoft: boolean;
  /** Zone of the times in an answer with conflicts. */
  readonly zone: ZoneOffsets;
}

/** What came of it: the id and its stamp, or the conflicts. */
export type CreatedAppointment = AppointmentCreation & { readonly stamp?: number };

/** What was asked before the transaction. */
interface Preparation {
  /** As it was then. */
  readonly folder: FolderOwnership;
  readonly people: People;
  readonly firstAnswer: FirstAnswer;
  readonly maxAttendees: number;
  readonly limits: ConflictLimits;
  readonly maxAppointments: number;
}

/** Times a write is tried when its folder passes from hand to hand. */
const TRIES = 5;

class FolderChanged extends Error {}

const isRefusal = (error: unknown): boolean =>
  error instanceof CatalogueError &&
  !error.is(RequestErrors.serviceUnavailable) &&
  !error.is(RequestErrors.deadlinePassed);

/** Stores new appointments and series, unless something stands in the way. */
@Injectable()
export class AppointmentCreator {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly appointments: AppointmentRepository,
    private readonly writer: AppointmentWriter,
    private readonly access: FolderAccess,
    private readonly people: PeopleDirectory,
    private readonly answers: FirstAnswers,
    private readonly places: AttendeePlaces,
    private readonly groups: GroupWatch,
    private readonly conflicts: ConflictCheck,
    private readonly properties: Properties,
    private readonly quota: AppointmentQuota,
  ) {}

  /** FLD-0008, FLD-0003 and CAL-4031 for the folder; APP-0100 for a unique id that is taken; QUOTA-0003. */
  async create(user: UserPrincipal, wanted: WantedAppointment): Promise<CreatedAppointment> {
    return this.groups.steady(user, wanted.participants, async (groups) => {
      for (let tries = 1; tries <= TRIES; tries += 1) {
        const remembered = tries === 1 ? this.access.remembered(user, wanted.folderId) : undefined;
        try {
          // Everything that other services know is asked before the transaction.
          const prepared = await this.prepare(user, wanted, remembered);
          return await this.database.transact(user, (tx) => this.store(tx, user, wanted, prepared, groups));
        } catch (error) {
          // A refusal may be due to what was remembered: the second look decides.
          if (!(error instanceof FolderChanged) && !(remembered && isRefusal(error))) throw error;
        }
      }
      throw RequestErrors.serviceUnavailable('calendar');
    });
  }

  private async prepare(
    user: UserPrincipal,
    { folderId, content, participants }: WantedAppointment,
    remembered: FolderOwnership | undefined,
  ): Promise<Preparation> {
    const folder = remembered ?? (await this.creatable(user, folderId));
    const addresses = [content.organizer, content.principal].filter((mail) => mail !== null);
    const people = await this.people.of(
      user,
      [...participants, ...addresses.map((mail) => ({ type: PARTICIPANT.external, mail }))],
      [folder.calendarUser],
    );
    const [firstAnswer, limits, maxAttendees, maxAppointments] = await Promise.all([
      // The calendar user himself has accepted.
      this.answers.of(user, without(people, folder.calendarUser), { isPublic: folder.type === 2 }),
      this.conflicts.limits(user),
      this.properties.get(MAX_PARTICIPANTS, { contextId: user.contextId }),
      this.quota.limit(user),
    ]);
    return { folder, people, firstAnswer, limits, maxAttendees, maxAppointments };
  }

  private async creatable(user: UserPrincipal, folderId: number): Promise<FolderOwnership> {
    const folder = await this.database.read(user, (db) => this.access.of(db, user, folderId));
    requireMayCreate(folder);
    return folder;
  }

  /** Two round trips: everything that may stand in the way at once, then the writes with the commit. */
  private async store(
    tx: Transaction,
    user: UserPrincipal,
    wanted: WantedAppointment,
    prepared: Preparation,
    groups: GroupsSeen,
  ): Promise<CreatedAppointment> {
    const { folder, people } = prepared;
    const { content, folderId } = wanted;
    const attendees = this.attendees(user, wanted, prepared);
    const appointment = newAppointment(
      { ...content, ...organizer(content, folder, user, people) },
      { folderId, isPublic: folder.type === 2, owner: folder.calendarUser, attendees, userId: user.userId },
    );
    const [, now, taken, homes, conflicts] = await together(
      groups.hold(tx),
      this.access.forWrite(tx, user, folderId),
      wanted.checkUid ? this.appointments.idOfUid(tx, content.uid, folder.calendarUser, folderId) : undefined,
      this.places.homes(tx, homeless(attendees, folder), people),
      this.conflicts.find(tx, user, {
        appointments: [appointment],
        ignoreSoft: wanted.ignoreSoft,
        zone: wanted.zone,
        limits: prepared.limits,
      }),
    );
    requireMayCreate(now);
    // Everything above was asked for the folder as it was before.
    if (now.calendarUser !== folder.calendarUser || now.type !== folder.type) throw new FolderChanged();
    if (taken !== undefined) throw AppointmentErrors.uidTaken(content.uid);
    if (conflicts.length > 0) return { conflicts };
    const { stamp, created } = await this.writer.write(tx, user.userId, {
      created: [toStore({ ...appointment, attendees: placed(attendees, folder, homes) })],
      maxAppointments: prepared.maxAppointments,
    });
    return { id: String(created[0]!.id), stamp };
  }

  private attendees(
    user: UserPrincipal,
    wanted: WantedAppointment,
    { folder, people, firstAnswer, maxAttendees }: Preparation,
  ): Attendee[] {
    const owner = folder.calendarUser;
    const isPublic = folder.type === 2;
    const listed = attendeeList({
      wanted: wanted.participants,
      owner,
      isPublic,
      before: [],
      people,
      user,
      firstAnswer: (userId) => firstAnswer(userId, isPublic),
      maxAttendees,
    });
    const attendees = withOwnAnswer(listed, owner, wanted.own);
    requireClassFits({ classification: wanted.content.classification, attendees, isPublic, owner }, user);
    return attendees;
  }
}

function requireMayCreate({ id, rights }: AccessedFolder): void {
  if (rights.folder < RANK.createObjects) throw CalendarErrors.noWritePermission(id);
}

const without = (people: People, userId: number): People => ({
  ...people,
  entities: new Map([...people.entities].filter(([id]) => id !== userId)),
});

/** Who organizes: whoever a client names, else the user; the owner of the calendar stands beside when he is somebody else. */
function organizer(
  content: Pick<Appointment, 'organizer' | 'principal'>,
  folder: FolderOwnership,
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
