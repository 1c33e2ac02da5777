import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { AppointmentWriter } from '../appointments/appointment-writer';
import type { Appointment } from '../domain/appointment';
import { DeletionPlan } from '../domain/deletions';
import { toInstant } from '../icalendar/from-event';
import { type CancellationKey, CancellationRepository, FOLLOWING } from '../persistence/cancellation.repository';
import { toMailAddress } from './calendar-address';
import { FollowingReceiver } from './following-receiver';
import {
  listAppointments,
  type OccurrencePosition,
  OwnAppointmentFinder,
  type OwnAppointments,
  findPosition,
  routeEvent,
  findStoredOccurrence,
} from './own-appointments';
import {
  compareRevisions,
  isOrganizedBy,
  maySpeakFor,
  toRevision,
  type SchedulingMessage,
  type SchedulingResult,
  findStoredRevision,
} from './scheduling-message';

interface Named {
  readonly appointment: Appointment;
  /** Set for an occurrence of a series that is not stored on its own. */
  readonly place?: OccurrencePosition;
}

/** Takes away what an external organizer called off, or a user from which he was uninvited (CANCEL; RFC 5546, section 3.2.5). */
@Injectable()
export class CancellationReceiver {
  constructor(
    private readonly own: OwnAppointmentFinder,
    private readonly cancellations: CancellationRepository,
    private readonly writer: AppointmentWriter,
    private readonly clock: Clock,
    private readonly following: FollowingReceiver,
  ) {}

  /** The whole appointment or series, the occurrence that the message names, or that and all that follow. */
  async receiveCancellation(
    tx: Transaction,
    user: UserPrincipal,
    message: SchedulingMessage,
  ): Promise<SchedulingResult> {
    const { event } = message;
    const own = await this.own.findByEvent(tx, user, event);
    if (!own) return 'internalOrganizer';
    if (!maySpeakFor(message, own.main ?? own.occurrences[0] ?? own.parts[0]?.series)) return 'notFromOrganizer';
    // The invitation may come after it.
    await this.cancellations.insertCancellation(
      tx,
      toCancellationKey(user, event),
      toRevision(event),
      this.clock.now(),
    );
    if (event.recurrenceRange) return this.following.cancelFollowing(tx, event, own, user.userId);
    const named = listNamed(event, own);
    if (named.length === 0) return 'unknownAppointment';
    if (!named.every(({ appointment }) => isOrganizedBy(appointment, event))) return 'internalOrganizer';
    const revision = toRevision(event);
    if (named.some(({ appointment }) => compareRevisions(revision, findStoredRevision(appointment)) < 0))
      return 'stale';
    if (named.some(({ appointment, place }) => place && appointment.exdates?.includes(place.localMs)))
      return 'repeated';
    const main = own.main ? [own.main] : [];
    const deletions = new DeletionPlan([...main, ...own.occurrences, ...listAppointments(own.parts)]);
    for (const { appointment, place } of named) deletions.deleteAppointment(appointment, { position: place?.position });
    await this.writer.writeChanges(tx, user.userId, deletions.toChanges());
    return 'applied';
  }
}

/** Key under which a cancellation is stored and looked up. */
export const toCancellationKey = ({ userId }: UserPrincipal, event: CalendarEvent): CancellationKey => ({
  userId,
  organizer: toMailAddress(event.organizer?.uri).toLowerCase(),
  uid: event.uid,
  recurrence: event.recurrenceId ? `${toInstant(event.recurrenceId)}${event.recurrenceRange ? FOLLOWING : ''}` : '',
});

/** Appointments that an event names: the whole, an exception, or an unchanged occurrence. */
function listNamed(message: CalendarEvent, all: OwnAppointments): Named[] {
  if (!message.recurrenceId) {
    const parts = all.parts.map(({ series }) => series);
    return [...(all.main ? [all.main] : all.occurrences), ...parts].map((appointment) => ({ appointment }));
  }
  const { event, own } = routeEvent(message, all);
  const { main } = own;
  const stored = findStoredOccurrence(event, own);
  if (stored) return [{ appointment: stored }];
  const place = main && findPosition(main, event);
  return place ? [{ appointment: main, place }] : [];
}
