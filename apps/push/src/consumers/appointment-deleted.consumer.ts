import { calendarEvents, type AppointmentChange, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CalendarTeller, type Readers } from '../calendar-teller';

const deleted = calendarEvents['appointment.deleted'];

/** Tells whom a deleted appointment concerns or concerned. */
@Consumes(deleted)
export class AppointmentDeletedConsumer implements Consumer<typeof deleted, Readers> {
  constructor(private readonly teller: CalendarTeller) {}

  prepare(message: EventMessage<AppointmentChange>): Promise<Readers> {
    return this.teller.readers(message, message.payload.folders, message.payload.users);
  }

  handle(message: EventMessage<AppointmentChange>, tx: Transaction, readers: Readers): Promise<void> {
    return this.teller.appointment(tx, message, 'deleted', readers);
  }
}
