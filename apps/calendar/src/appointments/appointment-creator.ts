import { Injectable } from '@nestjs/common';
import {
  AppointmentErrors,
  CatalogueError,
  MAX_PARTICIPANTS,
  RequestErrors,
  type AppointmentCreation,
  type AppointmentData,
  type AppointmentParticipant,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, pipeline, type Transaction } from '@groupware/persistence';
import { resolveTimeZone, type ZoneOffsets } from '@groupware/recurrence';
import { Properties } from '@groupware/service-kit';
import { AppointmentQuota } from './appointment-quota';
import { AppointmentWriter } from './appointment-writer';
import type { NamedFiles } from './file-copies';
import {
  ConflictCheck,
  type ConflictLimits,
  type KnownVisibility,
  type SeenConflict,
  toConflictData,
} from '../conflicts/conflict-check';
import { type Appointment, type AppointmentContent, type Attendee, PARTICIPANT } from '../domain/appointment';
import { buildAttendeeList } from '../domain/attendee-list';
import type { People } from '@groupware/directory';
import { createAppointment, toStore } from '../domain/new-appointment';
import { isEmptied, toEmptyError } from '../domain/occurrence';
import { setOwnParticipation } from '../domain/own-participation';
import { requireValidClassification, requireValidEventClass } from '../domain/private-rules';
import { requireMayCreate, FolderAccess, type FolderOwnership } from '../folders/folder-access';
import { AttendeeCalendars, withoutCalendar, assignCalendars } from '../participants/attendee-calendars';
import { type DefaultReply, DefaultReplies } from '../participants/default-replies';
import { type StableGroups, GroupWatch } from '../participants/group-watch';
import { PeopleDirectory } from '../participants/people-directory';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { SchedulingOutbox, type SchedulingOptions } from '../scheduling/outgoing/scheduling-outbox';

/** Request for a new appointment. */
export interface AppointmentRequest {
  readonly folderId: number;
  readonly content: AppointmentContent;
  readonly participants: readonly AppointmentParticipant[];
  /** Answer, message and alarm of the calendar user. */
  readonly own: Pick<AppointmentData, 'users' | 'alarm'>;
  /** Refuse a unique id that the calendar user has already. */
  readonly checkUid: boolean;
  readonly ignoreSoft: boolean;
  /** By the rules of events: other classes, unique ids of the whole context. */
  readonly isEvent?: boolean;
  /** Adds what the list of participants cannot say. */
  readonly refine?: (attendees: readonly Attendee[], people: People, owner: number) => readonly Attendee[];
  /** Options of its scheduling messages; absent: no participant is told. */
  readonly scheduling?: SchedulingOptions;
  /** Push token of the client that is not told. */
  readonly pushToken?: string;
  /** Groups that the client resolved into participants. */
  readonly usedGroups?: readonly number[];
  /** Files of another appointment that it gets copies of. */
  readonly copiedFiles?: NamedFiles;
  /** Looks at what is about to be stored, and may refuse it. */
  readonly check?: (stored: Appointment) => Promise<void>;
}

/** The outcome of a creation: the stored appointment, or conflicts. */
export interface StoredAppointment {
  readonly stored?: Appointment;
  readonly conflicts?: readonly SeenConflict[];
}

/** The id and its stamp, or the conflicts. */
export type CreatedAppointment = AppointmentCreation & { readonly stamp?: number };

/** Data of other services, loaded before the transaction. */
interface Preparation {
  /** As it was then. */
  readonly folder: FolderOwnership;
  readonly people: People;
  readonly defaultReply: DefaultReply;
  readonly maxAttendees: number;
  readonly limits: ConflictLimits;
  readonly maxAppointments: number;
}

/** Times a write is tried when its folder passes from hand to hand. */
const TRIES = 5;

class FolderChanged extends Error {}

const isClientError = (error: unknown): boolean =>
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
    private readonly answers: DefaultReplies,
    private readonly places: AttendeeCalendars,
    private readonly groups: GroupWatch,
    private readonly conflicts: ConflictCheck,
    private readonly properties: Properties,
    private readonly quota: AppointmentQuota,
    private readonly outbox: SchedulingOutbox,
  ) {}

  /** FLD-0008, FLD-0003 and CAL-4031 for the folder; APP-0100 for a unique id that is taken; QUOTA-0003. */
  async createAppointment(
    user: UserPrincipal,
    wanted: AppointmentRequest,
    zone: ZoneOffsets,
  ): Promise<CreatedAppointment> {
    const { stored, conflicts = [] } = await this.storeAppointment(user, wanted);
    if (stored) return { id: String(stored.id), stamp: stored.lastModified };
    return { conflicts: conflicts.map((conflict) => toConflictData(conflict, user, zone)) };
  }

  /** The same; returns what was stored, or what stands in the way, as it is stored. */
  async storeAppointment(user: UserPrincipal, wanted: AppointmentRequest): Promise<StoredAppointment> {
    return this.groups.withStableGroups(user, wanted.participants, async (groups) => {
      for (let tries = 1; tries <= TRIES; tries += 1) {
        const remembered = tries === 1 ? this.access.findCachedOwnership(user, wanted.folderId) : undefined;
        try {
          // Everything that other services know is asked before the transaction.
          const prepared = await this.prepare(user, wanted, remembered);
          return await this.conflicts.transact(user, (tx, visibility) =>
            this.store(tx, user, wanted, { ...prepared, visibility }, groups),
          );
        } catch (error) {
          // A refusal may be due to what was remembered: the second look decides.
          if (!(error instanceof FolderChanged) && !(remembered && isClientError(error))) throw error;
        }
      }
      throw RequestErrors.serviceUnavailable('calendar');
    });
  }

  private async prepare(
    user: UserPrincipal,
    { folderId, content, participants }: AppointmentRequest,
    remembered: FolderOwnership | undefined,
  ): Promise<Preparation> {
    const folder = remembered ?? (await this.requireCreatable(user, folderId));
    const addresses = [content.organizer, content.principal].filter((mail) => mail !== null);
    const people = await this.people.loadPeople(
      user,
      [...participants, ...addresses.map((mail) => ({ type: PARTICIPANT.external, mail }))],
      [folder.calendarUser],
    );
    const [defaultReply, limits, maxAttendees, maxAppointments] = await Promise.all([
      // The calendar user himself has accepted.
      this.answers.loadReply(user, omitUser(people, folder.calendarUser), { isPublic: folder.type === 2 }),
      this.conflicts.getLimits(user),
      this.properties.get(MAX_PARTICIPANTS, { contextId: user.contextId }),
      this.quota.getLimit(user),
    ]);
    return { folder, people, defaultReply, limits, maxAttendees, maxAppointments };
  }

  private async requireCreatable(user: UserPrincipal, folderId: number): Promise<FolderOwnership> {
    const folder = await this.database.read(user, (db) => this.access.requireFolder(db, user, folderId));
    requireMayCreate(folder);
    return folder;
  }

  /** Two round trips: everything that may stand in the way at once, then the writes with the commit. */
  private async store(
    tx: Transaction,
    user: UserPrincipal,
    wanted: AppointmentRequest,
    prepared: Preparation & { visibility: KnownVisibility },
    groups: StableGroups,
  ): Promise<StoredAppointment> {
    const { folder, people } = prepared;
    const { content, folderId } = wanted;
    const attendees = this.buildAttendees(user, wanted, prepared);
    const appointment = createAppointment(
      { ...content, ...resolveOrganizer(content, folder, user, people) },
      { folderId, isPublic: folder.type === 2, owner: folder.calendarUser, attendees, userId: user.userId },
    );
    if (isEmptied(appointment)) throw toEmptyError(appointment);
    // Before all other locks: whatever waits for it holds none of them.
    if (wanted.checkUid) this.appointments.lockUid(tx, content.uid);
    const [, now, taken, homes, conflicts] = await pipeline(
      groups.lockVersions(tx),
      this.access.lockFolder(tx, user, folderId),
      wanted.checkUid ? this.findIdByUid(tx, wanted, folder) : undefined,
      this.places.ensureDefaultCalendars(tx, withoutCalendar(attendees, folder), people),
      this.conflicts.findConflicts(tx, user, {
        appointments: [appointment],
        ignoreSoft: wanted.ignoreSoft,
        limits: prepared.limits,
        visibility: prepared.visibility,
        floatingZone: wanted.isEvent ? resolveTimeZone(user.timeZone) : undefined,
      }),
    );
    requireMayCreate(now);
    // Everything above was asked for the folder as it was before.
    if (now.calendarUser !== folder.calendarUser || now.type !== folder.type) throw new FolderChanged();
    if (taken !== undefined) throw AppointmentErrors.uidTaken(content.uid);
    if (conflicts.length > 0) return { conflicts };
    this.writer.leaveOut(tx, wanted.pushToken);
    const { copiedFiles } = wanted;
    const placed = toStore({ ...appointment, attendees: assignCalendars(attendees, folder, homes) });
    const { created } = await this.writer.writeChanges(tx, user.userId, {
      created: [{ ...placed, attachments: copiedFiles?.files.length ?? 0 }],
      ...copiedFiles,
      maxAppointments: prepared.maxAppointments,
    });
    await this.writer.publishUsedGroups(tx, user.userId, wanted.usedGroups);
    await wanted.check?.(created[0]!);
    if (wanted.scheduling) await this.outbox.announce(tx, user, { created }, wanted.scheduling);
    return { stored: created[0] };
  }

  private findIdByUid(
    tx: Transaction,
    { content: { uid, organizer }, folderId, isEvent }: AppointmentRequest,
    { calendarUser }: FolderOwnership,
  ): Promise<number | undefined> {
    // Of an organizer elsewhere each invited user has an event of his own.
    return isEvent && organizer === null
      ? this.appointments.findIdByUidInContext(tx, uid)
      : this.appointments.findIdByUid(tx, uid, calendarUser, folderId);
  }

  private buildAttendees(
    user: UserPrincipal,
    wanted: AppointmentRequest,
    { folder, people, defaultReply, maxAttendees }: Preparation,
  ): readonly Attendee[] {
    const owner = folder.calendarUser;
    const isPublic = folder.type === 2;
    const listed = buildAttendeeList({
      participants: wanted.participants,
      owner,
      isPublic,
      before: [],
      people,
      user,
      defaultReply: (userId) => defaultReply(userId, isPublic),
      maxAttendees,
    });
    const own = setOwnParticipation(listed, owner, wanted.own);
    const attendees = wanted.refine?.(own, people, owner) ?? own;
    const classified = { classification: wanted.content.classification, attendees, isPublic, owner };
    if (wanted.isEvent) requireValidEventClass({ ...classified, folderId: wanted.folderId }, user);
    else requireValidClassification(classified, user);
    return attendees;
  }
}

const omitUser = (people: People, userId: number): People => ({
  ...people,
  entities: new Map([...people.entities].filter(([id]) => id !== userId)),
});

/** The organizer: the one a client names, else the user; the principal is the owner of the calendar when it is another user. */
function resolveOrganizer(
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
