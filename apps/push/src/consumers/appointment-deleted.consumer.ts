import { calendarEvents, type AppointmentChange, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CalendarTeller } from '../calendar-teller';

const deleted = calendarEvents['appointment.deleted'];

/** Tells whom a deleted appointment concerns or concerned. */
@Consumes(deleted)
export class AppointmentDeletedConsumer implements Consumer<typeof deleted> {
  constructor(private readonly teller: CalendarTeller) {}

  handle(message: EventMessage<AppointmentChange>, tx: Transaction): Promise<void> {
    return this.teller.appointment(tx, message, 'deleted');
  }
}
