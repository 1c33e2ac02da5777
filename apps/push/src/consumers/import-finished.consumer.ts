import { calendarEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CalendarTeller } from '../calendar-teller';

const finished = calendarEvents['import.finished'];

/** Tells the user that a folder has many new appointments. */
@Consumes(finished)
export class ImportFinishedConsumer implements Consumer<typeof finished> {
  constructor(private readonly teller: CalendarTeller) {}

  handle({ payload, occurredAt }: EventMessage<PayloadOf<typeof finished>>, tx: Transaction): Promise<void> {
    return this.teller.folder(tx, occurredAt, payload.folderId, [payload.userId]);
  }
}
