import {
  calendar,
  CalendarErrors,
  MAX_PARTICIPANTS,
  reply,
  type AppointmentCreation,
  type AppointmentData,
  type CallOf,
  type CatalogueError,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import { Handles, Properties } from '@groupware/service-kit';
import { AppointmentMover } from '../appointments/appointment-mover';
import {
  type AppointmentTarget,
  AppointmentTargets,
  requireUnchanged,
  requireWritable,
} from '../appointments/appointment-target';
import { AppointmentQuota } from '../appointments/appointment-quota';
import { type AppointmentChanges, AppointmentWriter } from '../appointments/appointment-writer';
import { ConflictCheck, type ConflictLimits, type KnownVisibility } from '../conflicts/conflict-check';
import { type Appointment, isException } from '../domain/appointment';
import {
  type EditedAppointment,
  applyAttendeeEdit,
  applyOrganizerEdit,
  requireSameType,
} from '../domain/appointment-edit';
import { parseAppointmentId } from '../domain/appointment-id';
import { parseOccurrenceName } from '../domain/appointment-reference';
import { buildAttendeeList, type People, hasSameAttendees } from '../domain/attendee-list';
import { addLocalTime } from '../domain/exception';
import { requireKnownOccurrence } from '../domain/occurrence';
import { requireValidClassification } from '../domain/private-rules';
import type { BookingReply } from '../domain/reschedule';
import { dayOf } from '../domain/local-days';
import { resolveRequestZone } from '../domain/request-zone';
import { resolveTarget } from '../domain/change-target';
import { createChangeSet } from '../domain/change-set';
import { parseCalendarFolderId } from '../folders/folder-access';
import { AttendeeCalendars } from '../participants/attendee-calendars';
import { BookingReplies } from '../participants/booking-replies';
import { type DefaultReply, DefaultReplies } from '../participants/default-replies';
import { GroupWatch } from '../participants/group-watch';
import { PeopleDirectory } from '../participants/people-directory';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** Data of other services, loaded before the transaction. */
interface Preparation {
  readonly people: People;
  readonly defaultReply: DefaultReply;
  readonly maxAttendees: number;
  readonly maxAppointments: number;
  readonly limits: ConflictLimits;
  readonly zone: ZoneOffsets;
  readonly bookingReply: BookingReply;
}

/** Fields of a body that may move an appointment. */
const TIMES = [
  'start_date',
  'end_date',
  'full_time',
  'timezone',
  'recurrence_type',
  'interval',
  'days',
  'day_in_month',
  'month',
  'until',
  'occurrences',
] as const satisfies readonly (keyof AppointmentData)[];

/** The id and its stamp, with what could not be kept; or conflicts. */
type UpdateOutcome = AppointmentCreation & { stamp?: number; warnings?: CatalogueError[] };

/** `update`: changes an appointment, a series, or one occurrence, which becomes an exception with an id of its own. */
@Handles(calendar.update)
export class UpdateHandler implements Handler<typeof calendar.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
    private readonly move: AppointmentMover,
    private readonly people: PeopleDirectory,
    private readonly answers: DefaultReplies,
    private readonly bookings: BookingReplies,
    private readonly appointments: AppointmentRepository,
    private readonly places: AttendeeCalendars,
    private readonly groups: GroupWatch,
    private readonly conflicts: ConflictCheck,
    private readonly properties: Properties,
    private readonly quota: AppointmentQuota,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.update>) {
    const id = parseAppointmentId(query.id, principal.contextId);
    const folderId = parseCalendarFolderId(query.folder);
    const { stamp, warnings, ...result } = await this.groups.withStableGroups(
      principal,
      body.participants ?? [],
      async (groups) => {
        const prepared = await this.prepare(principal, id, query.timezone, body);
        return this.conflicts.transact(principal, async (tx, visibility) => {
          await groups.lockVersions(tx);
          const target = await this.targets.lockTarget(tx, principal, id, folderId);
          return this.changeAppointment(tx, principal, target, body, query.timestamp, { ...prepared, visibility });
        });
      },
    );
    return reply<AppointmentCreation>(result, stamp === undefined ? {} : { timestamp: stamp, warnings });
  }

  private async prepare(
    user: UserPrincipal,
    id: number,
    timezone: string | undefined,
    body: AppointmentData,
  ): Promise<Preparation> {
    const people = await this.people.loadPeople(user, body.participants ?? [], []);
    const [defaultReply, bookingReply, limits, maxAttendees, maxAppointments] = await Promise.all([
      this.answers.loadReply(user, people),
      this.bookingReply(user, id, body),
      this.conflicts.getLimits(user),
      this.properties.get(MAX_PARTICIPANTS, { contextId: user.contextId }),
      this.quota.getLimit(user),
    ]);
    const zone = resolveRequestZone(timezone, user.timeZone);
    return { people, defaultReply, bookingReply, limits, maxAttendees, maxAppointments, zone };
  }

  /** Only what has another time is booked anew. */
  private async bookingReply(user: UserPrincipal, id: number, body: AppointmentData): Promise<BookingReply> {
    if (!TIMES.some((field) => body[field] !== undefined)) return () => undefined;
    const resources = await this.database.read(user, (db) => this.appointments.listResources(db, id));
    return this.bookings.loadReply(user, resources);
  }

  private async changeAppointment(
    tx: Transaction,
    user: UserPrincipal,
    target: AppointmentTarget,
    body: AppointmentData,
    timestamp: number,
    prepared: Preparation & { visibility: KnownVisibility },
  ): Promise<UpdateOutcome> {
    const { appointment, exceptions } = target;
    const { before, master } = resolveTarget(
      appointment,
      exceptions,
      parseOccurrenceName(body),
      requireKnownOccurrence,
    );
    requireUnchanged(before.id === 0 ? appointment : before, timestamp);
    requireWritable(target, user);
    if (master) requireSameType(master, body);
    const edited = this.applyEdit(user, target, before, body, prepared);
    const moved = await this.move.moveAppointment(tx, user, target, edited.after, body.folder_id);
    const attendees = await this.places.assignCalendars(
      tx,
      moved.attendees,
      { type: moved.isPublic ? 2 : 1, createdBy: moved.owner },
      prepared.people,
    );
    const after = { ...moved, attendees };
    if (!target.asAttendee) requirePrivateFits(before, after, user);
    const written = createChanges(target, before, after, master, prepared.bookingReply);
    // A move brings the owner of the other calendar in.
    if (edited.mayConflict || (!target.asAttendee && !hasSameAttendees(before.attendees, after.attendees))) {
      const conflicts = await this.conflicts.listConflicts(tx, user, {
        appointments: listConflictCandidates(written, after),
        ignoreSoft: body.ignore_conflicts ?? false,
        zone: prepared.zone,
        limits: prepared.limits,
        visibility: prepared.visibility,
      });
      if (conflicts.length > 0) return { conflicts };
    }
    const { stamp, created } = await this.writer.writeChanges(tx, user.userId, {
      ...written,
      maxAppointments: prepared.maxAppointments,
    });
    return { id: String(created[0]?.id ?? after.id), stamp, warnings: written.removed?.map(toLostWarning) };
  }

  private applyEdit(
    user: UserPrincipal,
    { folder, asAttendee }: AppointmentTarget,
    before: Appointment,
    body: AppointmentData,
    { zone, people, defaultReply, bookingReply, maxAttendees }: Preparation,
  ): EditedAppointment {
    if (asAttendee) return { after: applyAttendeeEdit(before, folder.calendarUser, body, zone), mayConflict: false };
    const attendees = body.participants
      ? buildAttendeeList({
          participants: body.participants,
          owner: before.owner,
          isPublic: before.isPublic,
          before: before.attendees,
          people,
          user,
          defaultReply: (userId) => defaultReply(userId, before.isPublic),
          maxAttendees,
        })
      : undefined;
    return applyOrganizerEdit(before, { body, zone, calendarUser: folder.calendarUser, attendees, bookingReply });
  }
}

/** Tells of a change exception that has no place in the changed series. */
const toLostWarning = (exception: Appointment): CatalogueError =>
  CalendarErrors.valueIgnored(
    exception.id,
    'change_exceptions',
    'MAJOR',
    `the series has no occurrence on ${new Date(dayOf(exception.recurrenceLocalMs!)).toISOString().slice(0, 10)} any more`,
  );

/** Private appointments keep to their rules when the flag, the place or the participants change. */
function requirePrivateFits(before: Appointment, after: Appointment, user: UserPrincipal): void {
  if (isException(after) && before.classification !== after.classification) throw CalendarErrors.classOfException();
  const same =
    before.classification === after.classification &&
    before.folderId === after.folderId &&
    hasSameAttendees(before.attendees, after.attendees);
  if (!same) requireValidClassification(after, user);
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

function createChanges(
  { appointment, exceptions }: AppointmentTarget,
  before: Appointment,
  after: Appointment,
  master: Appointment | undefined,
  bookingReply: BookingReply,
): AppointmentChanges {
  if (master)
    return {
      created: [after],
      changed: [
        { before: master, after: { ...master, changes: addLocalTime(master.changes, before.recurrenceLocalMs!) } },
      ],
    };
  if (before.id !== appointment.id) return { changed: [{ before, after }] };
  return createChangeSet(before, after, exceptions, bookingReply);
}
