import { calendarEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CalendarTeller, type Readers } from '../calendar-teller';

const finished = calendarEvents['import.finished'];

/** Tells the user, and whoever reads the folder, that a folder has many new appointments. */
@Consumes(finished)
export class ImportFinishedConsumer implements Consumer<typeof finished, Readers> {
  constructor(private readonly teller: CalendarTeller) {}

  prepare(message: EventMessage<PayloadOf<typeof finished>>): Promise<Readers> {
    return this.teller.readers(message, [message.payload.folderId], [message.payload.userId]);
  }

  handle(
    { payload, occurredAt }: EventMessage<PayloadOf<typeof finished>>,
    tx: Transaction,
    readers: Readers,
  ): Promise<void> {
    return this.teller.folder(tx, occurredAt, payload.folderId, [payload.userId], readers);
  }
}
