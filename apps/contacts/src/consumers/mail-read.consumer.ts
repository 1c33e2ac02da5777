import { sentMailEvents, type AddedParticipants, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AddressCollector, type AddressUse } from '../collected/address-collector';

const { read } = sentMailEvents;

/** Collects addresses of mails that a user reads; no contact counts as used by that. */
@Consumes(read)
export class MailReadConsumer implements Consumer<typeof read, AddressUse | undefined> {
  constructor(private readonly collector: AddressCollector) {}

  prepare(message: EventMessage<AddedParticipants>): Promise<AddressUse | undefined> {
    const { userId, people } = message.payload;
    return this.collector.prepare(message, userId, people, 'reading');
  }

  async handle(_message: EventMessage<AddedParticipants>, tx: Transaction, use: AddressUse | undefined): Promise<void> {
    if (use) await this.collector.store(tx, use);
  }
}
