import { calendarEvents, type AppointmentChange, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CalendarTeller } from '../calendar-teller';

const created = calendarEvents['appointment.created'];

/** Tells whom a new appointment concerns. */
@Consumes(created)
export class AppointmentCreatedConsumer implements Consumer<typeof created> {
  constructor(private readonly teller: CalendarTeller) {}

  handle(message: EventMessage<AppointmentChange>, tx: Transaction): Promise<void> {
    return this.teller.appointment(tx, message, 'created');
  }
}
