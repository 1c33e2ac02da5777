import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import type { CalendarEvent } from '@groupware/icalendar';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { AppointmentWriter } from '../appointment-writer';
import type { Appointment } from '../domain/appointment';
import { Deletions } from '../domain/deletions';
import { momentOf } from '../icalendar/from-event';
import { type CancellationKey, CancellationRepository, FOLLOWING } from '../persistence/cancellation.repository';
import { addressOf } from './calendar-address';
import { FollowingReceiver } from './following-receiver';
import {
  appointmentsOf,
  type OccurrencePlace,
  OwnAppointmentFinder,
  type OwnAppointments,
  placeIn,
  routed,
  storedOccurrence,
} from './own-appointments';
import {
  compareRevisions,
  isOrganizedBy,
  revisionOf,
  type SchedulingMessage,
  type SchedulingResult,
  storedRevision,
} from './scheduling-message';

interface Named {
  readonly appointment: Appointment;
  /** Set for an occurrence of a series that is not stored on its own. */
  readonly place?: OccurrencePlace;
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
  async receive(tx: Transaction, user: UserPrincipal, { event }: SchedulingMessage): Promise<SchedulingResult> {
    const own = await this.own.of(tx, user, event);
    if (!own) return 'internalOrganizer';
    // The invitation may come after it.
    await this.cancellations.note(tx, cancellationKey(user, event), revisionOf(event), this.clock.now());
    if (event.recurrenceRange) return this.following.cancel(tx, event, own, user.userId);
    const named = namedBy(event, own);
    if (named.length === 0) return 'unknownAppointment';
    if (!named.every(({ appointment }) => isOrganizedBy(appointment, event))) return 'internalOrganizer';
    const revision = revisionOf(event);
    if (named.some(({ appointment }) => compareRevisions(revision, storedRevision(appointment)) < 0)) return 'stale';
    if (named.some(({ appointment, place }) => place && appointment.exdates?.includes(place.localMs)))
      return 'repeated';
    const main = own.main ? [own.main] : [];
    const deletions = new Deletions([...main, ...own.occurrences, ...appointmentsOf(own.parts)]);
    for (const { appointment, place } of named) deletions.remove(appointment, { position: place?.position });
    await this.writer.write(tx, user.userId, deletions.result());
    return 'applied';
  }
}

/** What a cancellation is about, for who notes it and who looks whether there was one. */
export const cancellationKey = ({ userId }: UserPrincipal, event: CalendarEvent): CancellationKey => ({
  userId,
  organizer: addressOf(event.organizer?.uri).toLowerCase(),
  uid: event.uid,
  recurrence: event.recurrenceId ? `${momentOf(event.recurrenceId)}${event.recurrenceRange ? FOLLOWING : ''}` : '',
});

/** What an event names: all of it, an exception, or an occurrence of a series that is as it was planned. */
function namedBy(message: CalendarEvent, all: OwnAppointments): Named[] {
  if (!message.recurrenceId) {
    const parts = all.parts.map(({ series }) => series);
    return [...(all.main ? [all.main] : all.occurrences), ...parts].map((appointment) => ({ appointment }));
  }
  const { event, own } = routed(message, all);
  const { main } = own;
  const stored = storedOccurrence(event, own);
  if (stored) return [{ appointment: stored }];
  const place = main && placeIn(main, event);
  return place ? [{ appointment: main, place }] : [];
}
