import { Injectable } from '@nestjs/common';
import {
  MAX_CONFLICTS,
  MAX_CONFLICTS_PER_SERIES,
  MAX_PARTICIPANTS_PER_CONFLICT,
  type AppointmentConflict,
  type UserPrincipal,
} from '@groupware/contracts';
import { FreeBusyVisibility } from '@groupware/directory';
import { covers } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import {
  ExpansionBudget,
  type Occurrence,
  RecurrenceError,
  resolveTimeZone,
  type ZoneOffsets,
  ZoneOffsets as Offsets,
} from '@groupware/recurrence';
import { Clock, isTurnOver, Logger, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { CalendarConfig } from './calendar.config';
import { ruleError } from './domain/recurrence-input';
import {
  type Appointment,
  type Attendee,
  attendeeOf,
  CLASSIFICATION,
  CONFIRM,
  ownFolderOf,
  PARTICIPANT,
  SHOWN_AS,
} from './domain/appointment';
import { appointmentData, participantData } from './domain/appointment-wire';
import { type BusyTimes, busyTimesOf, findOverlaps } from './domain/busy-times';
import { dayOf } from './domain/local-days';
import { FolderAccess } from './folder-access';
import { BusyRepository } from './persistence/busy.repository';

/** Limits of one answer with conflicts. */
export interface ConflictLimits {
  readonly conflicts: number;
  readonly perSeries: number;
  readonly participants: number;
}

/** What a check is about. */
export interface ConflictQuestion {
  /** As they would be stored, all of one series or a single one; an id of 0 or less when it is new. */
  readonly appointments: readonly Appointment[];
  /** Only resources count. */
  readonly ignoreSoft: boolean;
  readonly zone: ZoneOffsets;
  readonly limits: ConflictLimits;
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
const key = (type: number, entity: number | null): string => `${type}:${entity}`;

/**
 * Looks for what stands in the way of an appointment, inside the transaction that would store it. Bookings of one
 * resource wait for each other here, so that of two that race only the first is stored.
 */
@Injectable()
export class ConflictCheck {
  constructor(
    private readonly busy: BusyRepository,
    private readonly access: FolderAccess,
    private readonly properties: Properties,
    private readonly clock: Clock,
    private readonly config: CalendarConfig,
    private readonly visibility: FreeBusyVisibility,
  ) {}

  /** The configured limits. May ask another service: use it before a transaction. */
  async limits(user: UserPrincipal): Promise<ConflictLimits> {
    const owner = { contextId: user.contextId };
    const [conflicts, perSeries, participants] = await Promise.all([
      this.properties.get(MAX_CONFLICTS, owner),
      this.properties.get(MAX_CONFLICTS_PER_SERIES, owner),
      this.properties.get(MAX_PARTICIPANTS_PER_CONFLICT, owner),
    ]);
    return { conflicts, perSeries, participants };
  }

  /** Conflicts as the user may see them, hard ones first, then by start; empty when there are none. */
  async find(tx: Transaction, user: UserPrincipal, question: ConflictQuestion): Promise<AppointmentConflict[]> {
    const { limits } = question;
    const bookings = question.appointments
      .filter(({ shownAs }) => shownAs !== SHOWN_AS.free)
      .map((appointment) => bookingOf(appointment, question.ignoreSoft))
      .filter(({ entities }) => entities.size > 0);
    if (bookings.length === 0) return [];
    // Before the look-up, and for resources only: see `BusyRepository.lockResources`.
    this.busy.lockResources(tx, [...new Set(bookings.flatMap(({ resources }) => resources))]);
    const today = startOfToday(this.clock.now(), user);
    const coming = bookings.filter(({ times }) => times.toMs > today);
    if (coming.length === 0) return [];
    const others = await this.busy.appointments(tx, {
      entities: [...new Set(coming.flatMap(({ ids }) => ids))],
      fromMs: Math.max(Math.min(...coming.map(({ times }) => times.fromMs)), today),
      toMs: Math.max(...coming.map(({ times }) => times.toMs)),
      self: coming[0]!.appointment.id,
      selfSeries: coming[0]!.appointment.seriesId ?? coming[0]!.appointment.id,
    });
    const budget = new ExpansionBudget(this.config.maxExpansionSteps);
    const met: Conflict[] = [];
    for (const other of others) met.push(...(await conflictsWith(other, coming, today, limits, budget)));
    const found = await this.visible(user, met);
    found.sort(
      (left, right) => Number(right.hard) - Number(left.hard) || left.occurrence.startMs - right.occurrence.startMs,
    );
    return this.shown(tx, user, found.slice(0, limits.conflicts), question);
  }

  /** Conflicts without users who hide their times from whoever books. Asks another service, but only where there are conflicts. */
  private async visible(user: UserPrincipal, conflicts: readonly Conflict[]): Promise<Conflict[]> {
    const users = new Set(conflicts.flatMap(({ attendees }) => attendees.filter(isUser).map(({ entity }) => entity!)));
    const hidden = await this.visibility.hiddenUsers(user, users, user.userId);
    if (hidden.size === 0) return [...conflicts];
    return conflicts
      .map((conflict) => ({
        ...conflict,
        attendees: conflict.attendees.filter((attendee) => !isUser(attendee) || !hidden.has(attendee.entity!)),
      }))
      .filter(({ attendees }) => attendees.length > 0);
  }

  private async shown(
    tx: Transaction,
    user: UserPrincipal,
    conflicts: readonly Conflict[],
    { zone, limits }: ConflictQuestion,
  ): Promise<AppointmentConflict[]> {
    if (conflicts.length === 0) return [];
    const folders = await this.access.ofMany(
      tx,
      user,
      conflicts.filter(({ other }) => other.isPublic).map(({ other }) => other.folderId),
    );
    return conflicts.map(({ other, occurrence, isSeries, hard, attendees }) => {
      const folder = folders.get(other.folderId);
      const attendee = attendeeOf(other, user.userId);
      const readable =
        [other.createdBy, other.owner, other.organizerId].includes(user.userId) ||
        (attendee !== undefined && !attendee.hidden) ||
        (folder !== undefined && covers(folder.rights.read, false));
      const data = appointmentData(other, {
        folderId: ownFolderOf(other, user.userId) ?? other.folderId,
        calendarUser: user.userId,
        zone,
        occurrence: isSeries ? occurrence : undefined,
      });
      const flag = hard ? { hard_conflict: true } : {};
      if (readable) return { ...data, ...flag };
      const { id, start_date, end_date, shown_as } = data;
      return {
        id,
        start_date,
        end_date,
        shown_as,
        participants: attendees.slice(0, limits.participants).map(participantData),
        ...flag,
      } as AppointmentConflict;
    });
  }
}

/** What is about to be booked. */
interface Booking {
  readonly appointment: Appointment;
  readonly times: BusyTimes;
  /** Keys of everybody who is checked. */
  readonly entities: ReadonlySet<string>;
  readonly ids: readonly number[];
  readonly resources: readonly number[];
}

function bookingOf(appointment: Appointment, ignoreSoft: boolean): Booking {
  const checked = appointment.attendees.filter(
    ({ type, hidden, confirm }) =>
      !hidden &&
      confirm !== CONFIRM.declined &&
      (type === PARTICIPANT.resource || (type === PARTICIPANT.user && !ignoreSoft)),
  );
  return {
    appointment,
    times: busyTimesOf(appointment, appointment.timeZone),
    entities: new Set(checked.map(({ type, entity }) => key(type, entity))),
    ids: checked.map(({ entity }) => entity!),
    resources: checked.filter(({ type }) => type === PARTICIPANT.resource).map(({ entity }) => entity!),
  };
}

/** The conflicts of one appointment with the bookings: each of its occurrences once, not more than the limit. */
async function conflictsWith(
  other: Appointment,
  bookings: readonly Booking[],
  today: number,
  limits: ConflictLimits,
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
        entities.has(key(attendee.type, attendee.entity)) &&
        // What is private keeps resources alone busy.
        (!isUser(attendee) || other.classification !== CLASSIFICATION.private),
    );
    const hard = common.some(({ type }) => type === PARTICIPANT.resource);
    if (common.length === 0) continue;
    const question = { own: times, other, zone: appointment.timeZone, today, limit, hard };
    for (const occurrence of await overlapping(question, budget)) {
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

/** A rule too complex to compare, or one too many, stops nobody but who wants the same resource (CAL-4002). */
async function overlapping(
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
    return await findOverlaps(own, busyTimesOf(other, zone), today, limit, budget);
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    if (hard) throw ruleError(error);
    log.warn({ appointment: other.id, reason: error.message }, 'series not compared');
    return [];
  }
}

function startOfToday(now: number, user: UserPrincipal): number {
  const offsets = Offsets.of(resolveTimeZone(user.timeZone) ?? 'UTC');
  return offsets.localToInstant(dayOf(offsets.instantToLocal(now)));
}
