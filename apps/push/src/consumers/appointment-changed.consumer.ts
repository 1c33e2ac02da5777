import { calendarEvents, type AppointmentChange, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CalendarTeller } from '../calendar-teller';

const changed = calendarEvents['appointment.changed'];

/** Tells whom a changed appointment concerns or concerned. */
@Consumes(changed)
export class AppointmentChangedConsumer implements Consumer<typeof changed> {
  constructor(private readonly teller: CalendarTeller) {}

  handle(message: EventMessage<AppointmentChange>, tx: Transaction): Promise<void> {
    return this.teller.appointment(tx, message, 'changed');
  }
}
