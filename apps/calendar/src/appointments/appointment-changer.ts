import { Injectable } from '@nestjs/common';
import {
  CalendarErrors,
  MAX_PARTICIPANTS,
  type AppointmentParticipant,
  type Tenant,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Properties } from '@groupware/service-kit';
import {
  ConflictCheck,
  type ConflictLimits,
  type KnownVisibility,
  type SeenConflict,
} from '../conflicts/conflict-check';
import { type Appointment, CLASSIFICATION, isException, isSeries } from '../domain/appointment';
import type { EditedAppointment } from '../domain/appointment-edit';
import { hasSameAttendees } from '../domain/attendee-list';
import type { People } from '@groupware/directory';
import { createChangeSet } from '../domain/change-set';
import type { FollowingOptions } from '../domain/exception';
import { createOccurrenceChanges } from '../domain/change-target';
import { isEmptied, toEmptyError } from '../domain/occurrence';
import { actsAsOrganizer } from '../domain/organizer';
import { requireValidClassification, requireValidEventClass } from '../domain/private-rules';
import { type BookingReply, isRescheduled } from '../domain/reschedule';
import { AttendeeCalendars } from '../participants/attendee-calendars';
import { BookingReplies } from '../participants/booking-replies';
import { type DefaultReply, DefaultReplies } from '../participants/default-replies';
import { PeopleDirectory } from '../participants/people-directory';
import { FolderAccess, parseCalendarFolderId } from '../folders/folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { AppointmentMover } from './appointment-mover';
import { AppointmentQuota } from './appointment-quota';
import type { AppointmentTarget } from './appointment-target';
import { type AppointmentChanges, AppointmentWriter, type WrittenAppointments } from './appointment-writer';

/** Data of other services, loaded before the transaction. */
export interface ChangePreparation {
  readonly people: People;
  readonly defaultReply: DefaultReply;
  readonly maxAttendees: number;
  readonly maxAppointments: number;
  readonly limits: ConflictLimits;
  readonly bookingReply: BookingReply;
}

/** A change to be stored. */
export interface ChangeOutline {
  readonly id: number;
  /** Named by the change. */
  readonly participants: readonly AppointmentParticipant[];
  /** It may move the appointment: only what has another time is booked anew. */
  readonly mayReschedule: boolean;
  /** Another folder to move to. */
  readonly folder?: string;
}

/** A change of an appointment, worked out under its lock. */
export interface PlannedChange extends EditedAppointment, ChangePreparation {
  readonly before: Appointment;
  /** The series that the occurrence is taken out of. */
  readonly master?: Appointment;
  /** Another folder to move to. */
  readonly folder?: string;
  /** Only resources count. */
  readonly ignoreSoft: boolean;
  readonly visibility: KnownVisibility;
  /** Exceptions that go with the change, not among those of the target. */
  readonly removed?: readonly Appointment[];
  /** Files of the series that a new exception gets; absent: all. */
  readonly files?: readonly number[];
  /** By the rules of events; with them exceptions are shifted with their series. */
  readonly event?: FollowingOptions;
}

/** The outcome of a change: the stored rows, or conflicts. */
export interface StoredChange {
  readonly conflicts: readonly SeenConflict[];
  readonly written?: WrittenAppointments;
  readonly changes: AppointmentChanges;
}

/** Stores changes of appointments with all that follows from them, unless something stands in the way. */
@Injectable()
export class AppointmentChanger {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly writer: AppointmentWriter,
    private readonly mover: AppointmentMover,
    private readonly access: FolderAccess,
    private readonly people: PeopleDirectory,
    private readonly answers: DefaultReplies,
    private readonly bookings: BookingReplies,
    private readonly appointments: AppointmentRepository,
    private readonly places: AttendeeCalendars,
    private readonly conflicts: ConflictCheck,
    private readonly properties: Properties,
    private readonly quota: AppointmentQuota,
  ) {}

  /** Asks other services everything that a change may need. */
  async prepare(
    user: UserPrincipal,
    { id, participants, mayReschedule, folder }: ChangeOutline,
  ): Promise<ChangePreparation> {
    const tenant: Tenant = { contextId: user.contextId };
    const owner = folder === undefined ? undefined : await this.findOwner(user, parseCalendarFolderId(folder));
    const people = await this.people.loadPeople(user, participants, owner === undefined ? [] : [owner]);
    const [defaultReply, bookingReply, limits, maxAttendees, maxAppointments] = await Promise.all([
      this.answers.loadReply(user, people),
      mayReschedule ? this.bookingReply(user, id) : () => undefined,
      this.conflicts.getLimits(user),
      this.properties.get(MAX_PARTICIPANTS, tenant),
      this.quota.getLimit(user),
    ]);
    return { people, defaultReply, bookingReply, limits, maxAttendees, maxAppointments };
  }

  private async findOwner(user: UserPrincipal, folderId: number): Promise<number | undefined> {
    const folder = await this.database.read(user, (db) => this.access.findFolder(db, user, folderId));
    return folder?.calendarUser;
  }

  private async bookingReply(user: UserPrincipal, id: number): Promise<BookingReply> {
    const resources = await this.database.read(user, (db) => this.appointments.listResources(db, id));
    return this.bookings.loadReply(user, resources);
  }

  /** Moves, assigns calendars, looks for conflicts, and writes. */
  async storeChange(
    tx: Transaction,
    user: UserPrincipal,
    target: AppointmentTarget,
    change: PlannedChange,
  ): Promise<StoredChange> {
    const { before, master, bookingReply } = change;
    const moved = await this.mover.moveAppointment(tx, user, target, change.after, change.folder, change.people);
    const place = { type: moved.isPublic ? (2 as const) : (1 as const), createdBy: moved.owner };
    const attendees = await this.places.assignCalendars(tx, moved.attendees, place, change.people);
    const after = { ...moved, attendees };
    // Attendees who act for the organizer change it as the owner does; others change nothing that its class depends on.
    const isOwnerSide = !target.asAttendee || actsAsOrganizer(before, target.folder.calendarUser);
    const classUser = target.asAttendee ? after.owner : user.userId;
    if (isOwnerSide) requireClassFits(before, after, classUser, change.event !== undefined);
    if (change.event && target.exceptions.length > 0 && isSeries(before)) requireSameSide(before, after);
    if (change.event && after.owner !== before.owner && !after.isPublic && !before.isPublic && attendees.length > 1)
      throw CalendarErrors.changeForbidden(before.id, 'folder');
    const planned: AppointmentChanges = master
      ? createOccurrenceChanges({ before, master }, after)
      : before.id !== target.appointment.id
        ? { changed: [{ before, after }] }
        : createChangeSet(before, after, target.exceptions, bookingReply, change.event);
    requireOccurrences(before, planned);
    const changes = { ...planned, removed: [...(planned.removed ?? []), ...(change.removed ?? [])] };
    // A move brings the owner of the other calendar in.
    if (change.mayConflict || (!target.asAttendee && !hasSameAttendees(before.attendees, after.attendees))) {
      const conflicts = await this.conflicts.findConflicts(tx, user, {
        appointments: listConflictCandidates(changes, after),
        ignoreSoft: change.ignoreSoft,
        limits: change.limits,
        visibility: change.visibility,
        floatingZone: change.event && resolveTimeZone(user.timeZone),
      });
      if (conflicts.length > 0) return { conflicts, changes };
    }
    const { maxAppointments, files } = change;
    const written = await this.writer.writeChanges(tx, user.userId, { ...changes, maxAppointments, files });
    return { conflicts: [], written, changes };
  }
}

/** Requires that other times or another rule leave an occurrence that is not deleted (CAL-4002). */
function requireOccurrences(before: Appointment, { changed = [] }: AppointmentChanges): void {
  const series = changed.find((each) => each.before === before)?.after;
  if (series && isRescheduled(before, series) && isEmptied(series)) throw toEmptyError(series);
}

/** Requires that a series with exceptions does not become public, nor cease to be so (CAL-4227). */
function requireSameSide({ classification: before }: Appointment, { classification: after }: Appointment): void {
  if ((before === CLASSIFICATION.public) !== (after === CLASSIFICATION.public)) throw CalendarErrors.classOfException();
}

/** Requires that the class of what is not public is still allowed when the class, the place or the participants change. */
function requireClassFits(before: Appointment, after: Appointment, userId: number, isEvent: boolean): void {
  if (isException(after) && before.classification !== after.classification) throw CalendarErrors.classOfException();
  const same =
    before.classification === after.classification &&
    before.folderId === after.folderId &&
    hasSameAttendees(before.attendees, after.attendees);
  if (same) return;
  if (isEvent) requireValidEventClass(after, { userId });
  else requireValidClassification(after, { userId });
}

/** Appointments of a change to check for conflicts: new ones, and those with other times or participants. */
function listConflictCandidates(
  { created = [], changed = [] }: AppointmentChanges,
  subject: Appointment,
): Appointment[] {
  const moved = changed.filter(
    ({ before, after }) =>
      after.id === subject.id ||
      before.startMs !== after.startMs ||
      before.endMs !== after.endMs ||
      before.shownAs !== after.shownAs ||
      !hasSameAttendees(before.attendees, after.attendees),
  );
  // A series that only loses an occurrence to its new exception does not move.
  return [...created, ...(created.length > 0 ? [] : moved.map(({ after }) => after))];
}
