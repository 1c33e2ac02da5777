import { mailboxEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AddressCollector, type AddressUse } from '../collected/address-collector';

const { sent } = mailboxEvents;

/** Contacts to whom a user writes are offered to him first; addresses that he does not know yet are collected. */
@Consumes(sent)
export class MailSentConsumer implements Consumer<typeof sent, AddressUse | undefined> {
  constructor(private readonly collector: AddressCollector) {}

  prepare(message: EventMessage<PayloadOf<typeof sent>>): Promise<AddressUse | undefined> {
    return this.collector.prepare(message, message.payload.userId, message.payload.recipients, 'sending');
  }

  async handle(
    _message: EventMessage<PayloadOf<typeof sent>>,
    tx: Transaction,
    use: AddressUse | undefined,
  ): Promise<void> {
    if (use) await this.collector.store(tx, use);
  }
}
