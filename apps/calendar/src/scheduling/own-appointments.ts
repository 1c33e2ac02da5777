import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import { toCalendarTime, type CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { occurrenceAt, positionOf } from '@groupware/recurrence';
import { AppointmentTargets } from '../appointments/appointment-target';
import { type Appointment, isException, isSeries } from '../domain/appointment';
import { createException } from '../domain/exception';
import { wholeSeriesOf } from '../domain/series';
import { originalStart } from '../icalendar/import-entries';

import { ANY_LOCAL, AppointmentRepository } from '../persistence/appointment.repository';
import { PartRepository } from '../persistence/part.repository';
import { UidRepository } from '../persistence/uid.repository';
import { isOrganizedBy, findSeriesPart } from './scheduling-message';

/** Appointments with a unique id in the user's own calendars, locked. */
export interface OwnAppointments {
  /** The appointment or series; absent when he has single occurrences of a series only. */
  readonly main?: Appointment;
  /** Exceptions of the series, or what he has of one that he does not know. */
  readonly occurrences: readonly Appointment[];
  /** Series that were split off it, as far as the same organizer has them, in the order of their occurrences. */
  readonly parts: readonly OwnSeries[];
}

/** A series with its exceptions. */
export interface OwnSeries {
  readonly series: Appointment;
  readonly exceptions: readonly Appointment[];
}

/** Finds what an organizer speaks about. */
@Injectable()
export class OwnAppointmentFinder {
  constructor(
    private readonly uids: UidRepository,
    private readonly appointments: AppointmentRepository,
    private readonly targets: AppointmentTargets,
    private readonly parts: PartRepository,
  ) {}

  /** Undefined when the appointment lies in another user's calendar, which a mail to this user must not change. */
  async findByEvent(tx: Transaction, user: UserPrincipal, event: CalendarEvent): Promise<OwnAppointments | undefined> {
    const id = await this.uids.findId(tx, user.userId, event.uid);
    const found = id === undefined ? undefined : await this.appointments.findById(tx, id);
    if (found && (found.isPublic || found.owner !== user.userId)) return undefined;
    const whole = found ? await this.loadWhole(tx, user, found) : { occurrences: [] };
    return { ...whole, parts: await this.listParts(tx, user, event) };
  }

  /** True when a user has the event, or some of it, in a calendar of his own or as attendee. */
  async hasEvent(tx: Transaction, userId: number, { uid }: CalendarEvent): Promise<boolean> {
    return (await this.uids.findId(tx, userId, uid)) !== undefined;
  }

  private async loadWhole(
    tx: Transaction,
    user: UserPrincipal,
    found: Appointment,
  ): Promise<Omit<OwnAppointments, 'parts'>> {
    if (found.recurrenceLocalMs !== null)
      return { occurrences: await this.appointments.listByUids(tx, found.folderId, new Map([[found.uid, ANY_LOCAL]])) };
    const { appointment, exceptions } = await this.targets.lockTarget(tx, user, found.id, found.folderId);
    return { main: appointment, occurrences: exceptions };
  }

  private async listParts(tx: Transaction, user: UserPrincipal, event: CalendarEvent): Promise<OwnSeries[]> {
    const ids = await this.parts.listIds(tx, user.userId, event.uid);
    if (ids.length === 0) return [];
    const family = await this.appointments.lockWithExceptions(tx, ids);
    return family
      .filter((each) => ids.includes(each.id) && isOrganizedBy(each, event))
      .map((series) => ({
        series,
        exceptions: family.filter((each) => isException(each) && each.seriesId === series.id),
      }))
      .sort((a, b) => findSeriesPart(a.series)!.fromMs - findSeriesPart(b.series)!.fromMs);
  }
}

/** All of what was split off. */
export const listAppointments = (parts: readonly OwnSeries[]): Appointment[] =>
  parts.flatMap(({ series, exceptions }) => [series, ...exceptions]);

/** The place of an occurrence in a series. */
export interface OccurrencePosition {
  readonly localMs: number;
  readonly position: number;
}

/** The occurrence of a series that an event names by its RECURRENCE-ID, deleted ones included; undefined when there is none. */
export function findPosition(series: Appointment, event: CalendarEvent): OccurrencePosition | undefined {
  if (!isSeries(series)) return undefined;
  const localMs = originalStart(event, series);
  const position = positionOf(wholeSeriesOf(series), localMs);
  return position === undefined ? undefined : { localMs, position };
}

/** The occurrence of a series at a place, as an exception that is not stored yet. */
export const createOccurrence = (series: Appointment, { position }: OccurrencePosition): Appointment =>
  createException(series, occurrenceAt(wholeSeriesOf(series), position)!);

/** The occurrence that an event names by its RECURRENCE-ID, when it is stored on its own. */
export const findStoredOccurrence = (
  event: CalendarEvent,
  { main, occurrences }: Pick<OwnAppointments, 'main' | 'occurrences'>,
): Appointment | undefined => occurrences.find((each) => each.recurrenceLocalMs === originalStart(event, main ?? each));

/** An event of an occurrence, as it is known here, and the series to which the occurrence belongs. */
export interface RoutedEvent {
  readonly event: CalendarEvent;
  readonly own: Pick<OwnAppointments, 'main' | 'occurrences'>;
  /** Original start in the clock of the series that the organizer knows. */
  readonly localMs: number;
}

/** Organizers name an occurrence by its first start, whatever was split off and moved since. */
export function routeEvent(event: CalendarEvent, own: OwnAppointments): RoutedEvent {
  const localMs = originalStart(event, own.main ?? own.parts[0]?.series);
  const part = own.parts.filter(({ series }) => findSeriesPart(series)!.fromMs <= localMs).at(-1);
  if (!part) return { event, own, localMs };
  const { series, exceptions } = part;
  const recurrenceId = toCalendarTime(series, localMs + findSeriesPart(series)!.shiftMs);
  return {
    event: { ...event, uid: series.uid, recurrenceId },
    own: { main: series, occurrences: exceptions },
    localMs,
  };
}
