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
import { AppointmentMove } from '../appointment-move';
import { type AppointmentTarget, AppointmentTargets, requireUnchanged, requireWritable } from '../appointment-target';
import { AppointmentQuota } from '../appointment-quota';
import { type AppointmentChanges, AppointmentWriter } from '../appointment-writer';
import { ConflictCheck, type ConflictLimits } from '../conflict-check';
import { type Appointment, isException } from '../domain/appointment';
import {
  type EditedAppointment,
  editedByAttendee,
  editedByOrganizer,
  requireSameType,
} from '../domain/appointment-edit';
import { appointmentId } from '../domain/appointment-id';
import { occurrenceName } from '../domain/appointment-reference';
import { attendeeList, type People, sameAttendees } from '../domain/attendee-list';
import { withLocal } from '../domain/exception';
import { requireKnownOccurrence } from '../domain/occurrence';
import { requireClassFits } from '../domain/private-rules';
import type { BookingAnswer } from '../domain/reschedule';
import { dayOf } from '../domain/local-days';
import { requestZone } from '../domain/request-zone';
import { subjectOf } from '../domain/subject';
import { wholeChange } from '../domain/whole-change';
import { calendarFolderId } from '../folder-access';
import { AttendeePlaces } from '../participants/attendee-places';
import { BookingAnswers } from '../participants/booking-answers';
import { type FirstAnswer, FirstAnswers } from '../participants/first-answers';
import { GroupWatch } from '../participants/group-watch';
import { PeopleDirectory } from '../participants/people-directory';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** What was asked before the transaction. */
interface Preparation {
  readonly people: People;
  readonly firstAnswer: FirstAnswer;
  readonly maxAttendees: number;
  readonly maxAppointments: number;
  readonly limits: ConflictLimits;
  readonly zone: ZoneOffsets;
  readonly bookingAnswer: BookingAnswer;
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
    private readonly move: AppointmentMove,
    private readonly people: PeopleDirectory,
    private readonly answers: FirstAnswers,
    private readonly bookings: BookingAnswers,
    private readonly appointments: AppointmentRepository,
    private readonly places: AttendeePlaces,
    private readonly groups: GroupWatch,
    private readonly conflicts: ConflictCheck,
    private readonly properties: Properties,
    private readonly quota: AppointmentQuota,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.update>) {
    const id = appointmentId(query.id, principal.contextId);
    const folderId = calendarFolderId(query.folder);
    const { stamp, warnings, ...result } = await this.groups.steady(
      principal,
      body.participants ?? [],
      async (groups) => {
        const prepared = await this.prepare(principal, id, query.timezone, body);
        return this.database.transact(principal, async (tx) => {
          await groups.hold(tx);
          const target = await this.targets.find(tx, principal, id, folderId);
          return this.change(tx, principal, target, body, query.timestamp, prepared);
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
    const people = await this.people.of(user, body.participants ?? [], []);
    const [firstAnswer, bookingAnswer, limits, maxAttendees, maxAppointments] = await Promise.all([
      this.answers.of(user, people),
      this.bookingAnswer(user, id, body),
      this.conflicts.limits(user),
      this.properties.get(MAX_PARTICIPANTS, { contextId: user.contextId }),
      this.quota.limit(user),
    ]);
    const zone = requestZone(timezone, user.timeZone);
    return { people, firstAnswer, bookingAnswer, limits, maxAttendees, maxAppointments, zone };
  }

  /** Only what has another time is booked anew. */
  private async bookingAnswer(user: UserPrincipal, id: number, body: AppointmentData): Promise<BookingAnswer> {
    if (!TIMES.some((field) => body[field] !== undefined)) return () => undefined;
    const resources = await this.database.read(user, (db) => this.appointments.resourcesOf(db, id));
    return this.bookings.of(user, resources);
  }

  private async change(
    tx: Transaction,
    user: UserPrincipal,
    target: AppointmentTarget,
    body: AppointmentData,
    timestamp: number,
    prepared: Preparation,
  ): Promise<UpdateOutcome> {
    const { appointment, exceptions } = target;
    const { before, master } = subjectOf(appointment, exceptions, occurrenceName(body), requireKnownOccurrence);
    requireUnchanged(before.id === 0 ? appointment : before, timestamp);
    requireWritable(target, user);
    if (master) requireSameType(master, body);
    const edited = this.edited(user, target, before, body, prepared);
    const moved = await this.move.moved(tx, user, target, edited.after, body.folder_id);
    const attendees = await this.places.place(
      tx,
      moved.attendees,
      { type: moved.isPublic ? 2 : 1, createdBy: moved.owner },
      prepared.people,
    );
    const after = { ...moved, attendees };
    if (!target.asAttendee) requirePrivateFits(before, after, user);
    const written = changes(target, before, after, master, prepared.bookingAnswer);
    // A move brings the owner of the other calendar in.
    if (edited.mayConflict || (!target.asAttendee && !sameAttendees(before.attendees, after.attendees))) {
      const conflicts = await this.conflicts.find(tx, user, {
        appointments: checkedForConflicts(written, after),
        ignoreSoft: body.ignore_conflicts ?? false,
        zone: prepared.zone,
        limits: prepared.limits,
      });
      if (conflicts.length > 0) return { conflicts };
    }
    const { stamp, created } = await this.writer.write(tx, user.userId, {
      ...written,
      maxAppointments: prepared.maxAppointments,
    });
    return { id: String(created[0]?.id ?? after.id), stamp, warnings: written.removed?.map(lost) };
  }

  private edited(
    user: UserPrincipal,
    { folder, asAttendee }: AppointmentTarget,
    before: Appointment,
    body: AppointmentData,
    { zone, people, firstAnswer, bookingAnswer, maxAttendees }: Preparation,
  ): EditedAppointment {
    if (asAttendee) return { after: editedByAttendee(before, folder.calendarUser, body, zone), mayConflict: false };
    const attendees = body.participants
      ? attendeeList({
          wanted: body.participants,
          owner: before.owner,
          isPublic: before.isPublic,
          before: before.attendees,
          people,
          user,
          firstAnswer: (userId) => firstAnswer(userId, before.isPublic),
          maxAttendees,
        })
      : undefined;
    return editedByOrganizer(before, { body, zone, calendarUser: folder.calendarUser, attendees, bookingAnswer });
  }
}

/** Tells of a change exception that has no place in the changed series. */
const lost = (exception: Appointment): CatalogueError =>
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
    sameAttendees(before.attendees, after.attendees);
  if (!same) requireClassFits(after, user);
}

/** What of a change must be free of conflicts: whatever is new, or takes place at other times or with others. */
function checkedForConflicts({ created = [], changed = [] }: AppointmentChanges, subject: Appointment): Appointment[] {
  const moved = changed.filter(
    ({ before, after }) =>
      after.id === subject.id ||
      before.startMs !== after.startMs ||
      before.endMs !== after.endMs ||
      before.shownAs !== after.shownAs ||
      !sameAttendees(before.attendees, after.attendees),
  );
  // A series that only loses an occurrence to its new exception does not move.
  return [...created, ...(created.length > 0 ? [] : moved.map(({ after }) => after))];
}

function changes(
  { appointment, exceptions }: AppointmentTarget,
  before: Appointment,
  after: Appointment,
  master: Appointment | undefined,
  bookingAnswer: BookingAnswer,
): AppointmentChanges {
  if (master)
    return {
      created: [after],
      changed: [
        { before: master, after: { ...master, changes: withLocal(master.changes, before.recurrenceLocalMs!) } },
      ],
    };
  if (before.id !== appointment.id) return { changed: [{ before, after }] };
  return wholeChange(before, after, exceptions, bookingAnswer);
}
