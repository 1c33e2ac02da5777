import { calendarEvents, type AppointmentChange, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CalendarTeller, type Readers } from '../calendar-teller';

const changed = calendarEvents['appointment.changed'];

/** Tells whom a changed appointment concerns or concerned. */
@Consumes(changed)
export class AppointmentChangedConsumer implements Consumer<typeof changed, Readers> {
  constructor(private readonly teller: CalendarTeller) {}

  prepare(message: EventMessage<AppointmentChange>): Promise<Readers> {
    return this.teller.readers(message, message.payload.folders, message.payload.users);
  }

  handle(message: EventMessage<AppointmentChange>, tx: Transaction, readers: Readers): Promise<void> {
    return this.teller.appointment(tx, message, 'changed', readers);
  }
}
