import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { positionOf } from '@groupware/recurrence';
import { AppointmentTargets } from '../appointment-target';
import { type Appointment, isSeries } from '../domain/appointment';
import { wholeSeriesOf } from '../domain/series';
import { originalStart } from '../icalendar/import-entries';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { UidRepository } from '../persistence/uid.repository';

/** What a user has of a unique id in his own calendars, locked. */
export interface OwnAppointments {
  /** The appointment or series; absent when he has single occurrences of a series only. */
  readonly main?: Appointment;
  /** Exceptions of the series, or what he has of one that he does not know. */
  readonly occurrences: readonly Appointment[];
}

/** Finds what an organizer speaks about. */
@Injectable()
export class OwnAppointmentFinder {
  constructor(
    private readonly uids: UidRepository,
    private readonly appointments: AppointmentRepository,
    private readonly targets: AppointmentTargets,
  ) {}

  /** Nothing when the appointment lies in a calendar of somebody else: it is not for a mail to him to change it. */
  async of(tx: Transaction, user: UserPrincipal, uid: string): Promise<OwnAppointments | undefined> {
    const id = await this.uids.idOf(tx, user.userId, uid);
    const found = id === undefined ? undefined : await this.appointments.find(tx, id);
    if (!found) return { occurrences: [] };
    if (found.isPublic || found.owner !== user.userId) return undefined;
    if (found.recurrenceLocalMs !== null)
      return { occurrences: await this.appointments.ofUids(tx, found.folderId, [uid]) };
    const { appointment, exceptions } = await this.targets.find(tx, user, found.id, found.folderId);
    return { main: appointment, occurrences: exceptions };
  }
}

/** The place of an occurrence in a series. */
export interface OccurrencePlace {
  readonly localMs: number;
  readonly position: number;
}

/** The occurrence of a series that an event names by its RECURRENCE-ID, deleted ones included; undefined when there is none. */
export function placeIn(series: Appointment, event: CalendarEvent): OccurrencePlace | undefined {
  if (!isSeries(series)) return undefined;
  const localMs = originalStart(event, series);
  const position = positionOf(wholeSeriesOf(series), localMs);
  return position === undefined ? undefined : { localMs, position };
}

/** The occurrence that an event names by its RECURRENCE-ID, when it is stored on its own. */
export const storedOccurrence = (
  event: CalendarEvent,
  { main, occurrences }: OwnAppointments,
): Appointment | undefined => occurrences.find((each) => each.recurrenceLocalMs === originalStart(event, main ?? each));
