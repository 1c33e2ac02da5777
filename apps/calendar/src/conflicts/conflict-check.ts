import { Injectable } from '@nestjs/common';
import {
  MAX_CONFLICTS,
  MAX_CONFLICTS_PER_SERIES,
  MAX_PARTICIPANTS_PER_CONFLICT,
  RequestErrors,
  type AppointmentConflict,
  type UserPrincipal,
} from '@groupware/contracts';
import { FreeBusyVisibility } from '@groupware/directory';
import { coversObject } from '@groupware/folders';
import { ModuleDatabase, type Transaction, type TransactOptions } from '@groupware/persistence';
import {
  ExpansionBudget,
  type Occurrence,
  RecurrenceError,
  resolveTimeZone,
  type ZoneOffsets,
  ZoneOffsets as Offsets,
} from '@groupware/recurrence';
import { Clock, isTurnOver, Logger, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { toRuleError } from '../domain/recurrence-input';
import {
  type Appointment,
  type Attendee,
  calendarOf,
  findAttendee,
  CLASSIFICATION,
  CONFIRM,
  findOwnFolder,
  PARTICIPANT,
  SHOWN_AS,
} from '../domain/appointment';
import { toAppointmentData, toParticipantData } from '../domain/appointment-wire';
import { type BusyTimes, toBusyTimes, findOverlaps } from '../domain/busy-times';
import { dayOf } from '../domain/local-days';
import { FolderAccess } from '../folders/folder-access';
import { BusyRepository } from '../persistence/busy.repository';

/** Options of transactions that look for conflicts: planning the look takes longer than looking. */
export const LOOKS_FOR_CONFLICTS: TransactOptions = { plans: 'generic' };

/** Tries of a write, each with the visibility that the one before it lacked. */
const TRIES = 5;

/** Users whose times are hidden from the booking user, as far as it was asked. */
export interface KnownVisibility {
  readonly asked: ReadonlySet<number>;
  readonly hidden: ReadonlySet<number>;
}

/** No user was asked about: for looks at resources alone, whose times are never hidden. */
export const NOBODY_ASKED: KnownVisibility = { asked: new Set(), hidden: new Set() };

/** A conflict depends on visibility that was not asked before the transaction. */
class VisibilityUnknown extends Error {
  constructor(readonly users: readonly number[]) {
    super('whose times are hidden is not known');
  }
}

/** Limits of one answer with conflicts. */
export interface ConflictLimits {
  readonly conflicts: number;
  readonly perSeries: number;
  readonly participants: number;
}

/** Query of a conflict check. */
export interface ConflictQuery {
  /** As they would be stored, all of one series or a single one; an id of 0 or less when it is new. */
  readonly appointments: readonly Appointment[];
  /** Only resources count. */
  readonly ignoreSoft: boolean;
  readonly zone: ZoneOffsets;
  readonly limits: ConflictLimits;
  readonly visibility: KnownVisibility;
  /** Zone in which whole days and floating times are meant; default: that of the appointment itself. */
  readonly floatingZone?: string;
}

/** Something in the way, as far as the user may know it. */
export interface SeenConflict {
  readonly other: Appointment;
  /** Set when it is one of a series. */
  readonly occurrence?: Occurrence;
  /** A resource is booked: cannot be ignored. */
  readonly hard: boolean;
  /** Those of the other appointment who are busy with it; at most as many as are to be named. */
  readonly attendees: readonly Attendee[];
  /** The user may know the details. */
  readonly readable: boolean;
  /** The folder in which the user sees it. */
  readonly folderId: number;
}

interface Conflict {
  readonly other: Appointment;
  readonly occurrence: Occurrence;
  readonly isSeries: boolean;
  readonly hard: boolean;
  /** Those of the other appointment who are busy with it. */
  readonly attendees: readonly Attendee[];
}

const log = Logger.for('calendar.conflicts');
const isUser = ({ type }: Attendee): boolean => type === PARTICIPANT.user;
const entityKey = (type: number, entity: number | null): string => `${type}:${entity}`;

/**
 * Looks for what stands in the way of an appointment, inside the transaction that would store it. Bookings of one
 * resource wait for each other here, so that of two that race only the first is stored.
 */
@Injectable()
export class ConflictCheck {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly busy: BusyRepository,
    private readonly access: FolderAccess,
    private readonly properties: Properties,
    private readonly clock: Clock,
    private readonly config: CalendarConfig,
    private readonly visibility: FreeBusyVisibility,
  ) {}

  /** The configured limits. May ask another service: use it before a transaction. */
  async getLimits(user: UserPrincipal): Promise<ConflictLimits> {
    const owner = { contextId: user.contextId };
    const [conflicts, perSeries, participants] = await Promise.all([
      this.properties.get(MAX_CONFLICTS, owner),
      this.properties.get(MAX_CONFLICTS_PER_SERIES, owner),
      this.properties.get(MAX_PARTICIPANTS_PER_CONFLICT, owner),
    ]);
    return { conflicts, perSeries, participants };
  }

  /**
   * Runs a transaction that looks for conflicts. Whose times are hidden is asked outside, and only where there are conflicts: then
   * it begins again.
   */
  async transact<T>(
    user: UserPrincipal,
    work: (tx: Transaction, visibility: KnownVisibility) => Promise<T>,
  ): Promise<T> {
    let visibility = NOBODY_ASKED;
    for (let tries = 1; tries <= TRIES; tries += 1)
      try {
        return await this.database.transact(user, (tx) => work(tx, visibility), LOOKS_FOR_CONFLICTS);
      } catch (error) {
        if (!(error instanceof VisibilityUnknown)) throw error;
        const asked = new Set([...visibility.asked, ...error.users]);
        visibility = { asked, hidden: await this.visibility.listHiddenUsers(user, asked, user.userId) };
      }
    throw RequestErrors.serviceUnavailable('calendar');
  }

  /** Conflicts as appointments, hard ones first, then by start; empty when there are none. */
  async listConflicts(tx: Transaction, user: UserPrincipal, question: ConflictQuery): Promise<AppointmentConflict[]> {
    const { zone } = question;
    return (await this.findConflicts(tx, user, question)).map((conflict) => toConflictData(conflict, user, zone));
  }

  /** Conflicts in the same order, as they are stored. */
  async findConflicts(
    tx: Transaction,
    user: UserPrincipal,
    question: Omit<ConflictQuery, 'zone'>,
  ): Promise<SeenConflict[]> {
    const { limits } = question;
    const bookings = question.appointments
      .filter(({ shownAs }) => shownAs !== SHOWN_AS.free)
      .map((appointment) => toBooking(appointment, question))
      .filter(({ entities }) => entities.size > 0);
    if (bookings.length === 0) return [];
    // Before the look-up, and for resources only: see `BusyRepository.lockResources`.
    this.busy.lockResources(tx, [...new Set(bookings.flatMap(({ resources }) => resources))]);
    const today = startOfToday(this.clock.now(), user);
    const coming = bookings.filter(({ times }) => times.toMs > today);
    if (coming.length === 0) return [];
    const others = await this.busy.listBusyAppointments(tx, {
      entities: [...new Set(coming.flatMap(({ ids }) => ids))],
      fromMs: Math.max(Math.min(...coming.map(({ times }) => times.fromMs)), today),
      toMs: Math.max(...coming.map(({ times }) => times.toMs)),
      self: coming[0]!.appointment.id,
      selfSeries: coming[0]!.appointment.seriesId ?? coming[0]!.appointment.id,
    });
    if (others.length === 0) return [];
    const transparentCalendars = await this.busy.listTransparentCalendars(tx, listCalendars(others));
    const budget = new ExpansionBudget(this.config.maxExpansionSteps);
    const met: Conflict[] = [];
    const { floatingZone } = question;
    for (const other of others)
      met.push(
        ...(await findConflictsWith(other, coming, { today, limits, floatingZone, transparentCalendars }, budget)),
      );
    const found = filterVisible(user, met, question.visibility);
    found.sort(
      (left, right) => Number(right.hard) - Number(left.hard) || left.occurrence.startMs - right.occurrence.startMs,
    );
    return this.describeConflicts(tx, user, found.slice(0, limits.conflicts), limits);
  }

  private async describeConflicts(
    tx: Transaction,
    user: UserPrincipal,
    conflicts: readonly Conflict[],
    limits: ConflictLimits,
  ): Promise<SeenConflict[]> {
    if (conflicts.length === 0) return [];
    const folders = await this.access.findFolders(
      tx,
      user,
      conflicts.filter(({ other }) => other.isPublic).map(({ other }) => other.folderId),
    );
    return conflicts.map(({ other, occurrence, isSeries, hard, attendees }) => {
      const folder = folders.get(other.folderId);
      const attendee = findAttendee(other, user.userId);
      const readable =
        [other.createdBy, other.owner, other.organizerId].includes(user.userId) ||
        (attendee !== undefined && !attendee.hidden) ||
        (folder !== undefined && coversObject(folder.rights.read, false));
      return {
        other,
        occurrence: isSeries ? occurrence : undefined,
        hard,
        attendees: attendees.slice(0, limits.participants),
        readable,
        folderId: findOwnFolder(other, user.userId) ?? other.folderId,
      };
    });
  }
}

/** A conflict as an appointment. */
export function toConflictData(
  { other, occurrence, hard, attendees, readable, folderId }: SeenConflict,
  user: UserPrincipal,
  zone: ZoneOffsets,
): AppointmentConflict {
  const data = toAppointmentData(other, { folderId, calendarUser: user.userId, zone, occurrence });
  const flag = hard ? { hard_conflict: true } : {};
  if (readable) return { ...data, ...flag };
  const { id, start_date, end_date, shown_as } = data;
  const participants = attendees.map(toParticipantData);
  return { id, start_date, end_date, shown_as, participants, ...flag };
}

/** Conflicts without users who hide their times from the booking user. @throws VisibilityUnknown */
function filterVisible(
  user: UserPrincipal,
  conflicts: readonly Conflict[],
  { asked, hidden }: KnownVisibility,
): Conflict[] {
  const users = new Set(conflicts.flatMap(({ attendees }) => attendees.filter(isUser).map(({ entity }) => entity!)));
  const unknown = [...users].filter((id) => id !== user.userId && !asked.has(id));
  if (unknown.length > 0) throw new VisibilityUnknown(unknown);
  return conflicts
    .map((conflict) => ({
      ...conflict,
      attendees: conflict.attendees.filter((attendee) => !isUser(attendee) || !hidden.has(attendee.entity!)),
    }))
    .filter(({ attendees }) => attendees.length > 0);
}

/** An appointment about to be booked. */
interface Booking {
  readonly appointment: Appointment;
  readonly times: BusyTimes;
  /** Keys of the checked users and resources. */
  readonly entities: ReadonlySet<string>;
  readonly ids: readonly number[];
  readonly resources: readonly number[];
}

function toBooking(
  appointment: Appointment,
  { ignoreSoft, floatingZone }: Pick<ConflictQuery, 'ignoreSoft' | 'floatingZone'>,
): Booking {
  const checked = appointment.attendees.filter(
    ({ type, hidden, confirm }) =>
      !hidden &&
      confirm !== CONFIRM.declined &&
      (type === PARTICIPANT.resource || (type === PARTICIPANT.user && !ignoreSoft)),
  );
  return {
    appointment,
    times: toBusyTimes(appointment, floatingZone ?? appointment.timeZone),
    entities: new Set(checked.map(({ type, entity }) => entityKey(type, entity))),
    ids: checked.map(({ entity }) => entity!),
    resources: checked.filter(({ type }) => type === PARTICIPANT.resource).map(({ entity }) => entity!),
  };
}

/** The calendars in which users have these appointments. */
const listCalendars = (appointments: readonly Appointment[]): number[] => [
  ...new Set(
    appointments.flatMap((appointment) =>
      appointment.attendees.filter(isUser).map((attendee) => calendarOf(appointment, attendee)),
    ),
  ),
];

/** The conflicts of one appointment with the bookings: each of its occurrences once, not more than the limit. */
async function findConflictsWith(
  other: Appointment,
  bookings: readonly Booking[],
  {
    today,
    limits,
    floatingZone,
    transparentCalendars,
  }: Pick<ConflictQuery, 'limits' | 'floatingZone'> & {
    readonly today: number;
    /** Calendars that are transparent for scheduling: their events keep no user busy. */
    readonly transparentCalendars: ReadonlySet<number>;
  },
  budget: ExpansionBudget,
): Promise<Conflict[]> {
  const present = other.attendees.filter(({ hidden, confirm }) => !hidden && confirm !== CONFIRM.declined);
  const isSeries = other.seriesId === other.id;
  const limit = isSeries ? limits.perSeries : 1;
  const found = new Map<number, Conflict>();
  for (const { appointment, times, entities } of bookings) {
    if (isTurnOver()) await yieldToEventLoop();
    const common = present.filter(
      (attendee) =>
        entities.has(entityKey(attendee.type, attendee.entity)) &&
        // Private appointments, and those in some calendars, keep only resources busy.
        (!isUser(attendee) ||
          (other.classification !== CLASSIFICATION.private && !transparentCalendars.has(calendarOf(other, attendee)))),
    );
    const hard = common.some(({ type }) => type === PARTICIPANT.resource);
    if (common.length === 0) continue;
    const question = { own: times, other, zone: floatingZone ?? appointment.timeZone, today, limit, hard };
    for (const occurrence of await findOverlapping(question, budget)) {
      const known = found.get(occurrence.startMs);
      if (!known && found.size >= limit) break;
      found.set(occurrence.startMs, {
        other,
        occurrence,
        isSeries,
        hard: hard || (known?.hard ?? false),
        attendees: [...new Set([...(known?.attendees ?? []), ...common])],
      });
    }
  }
  return [...found.values()];
}

/** A rule too complex to compare, or one too many, refuses only bookings of the same resource (CAL-4002). */
async function findOverlapping(
  {
    own,
    other,
    zone,
    today,
    limit,
    hard,
  }: { own: BusyTimes; other: Appointment; zone: string; today: number; limit: number; hard: boolean },
  budget: ExpansionBudget,
): Promise<Occurrence[]> {
  try {
    return await findOverlaps(own, toBusyTimes(other, zone), today, limit, budget);
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    if (hard) throw toRuleError(error);
    log.warn({ appointment: other.id, reason: error.message }, 'series not compared');
    return [];
  }
}

function startOfToday(now: number, user: UserPrincipal): number {
  const offsets = Offsets.forZone(resolveTimeZone(user.timeZone) ?? 'UTC');
  return offsets.localToInstant(dayOf(offsets.instantToLocal(now)));
}
