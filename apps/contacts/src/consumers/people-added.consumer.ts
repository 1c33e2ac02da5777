import { Injectable } from '@nestjs/common';
import {
  calendarEvents,
  taskEvents,
  type AddedParticipants,
  type EventMessage,
  type EventType,
  mailboxEvents,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AddressCollector, type AddressSource, type AddressUse } from '../collected/address-collector';

/** Contacts whom a user makes take part are offered to that user first; addresses without a contact are collected. */
@Injectable()
abstract class PeopleAddedConsumer implements Consumer<EventType<AddedParticipants>, AddressUse | undefined> {
  protected readonly source: AddressSource = 'participation';

  constructor(private readonly collector: AddressCollector) {}

  prepare(message: EventMessage<AddedParticipants>): Promise<AddressUse | undefined> {
    const { userId, people } = message.payload;
    return this.collector.prepare(message, userId, people, this.source);
  }

  async handle(_message: EventMessage<AddedParticipants>, tx: Transaction, use: AddressUse | undefined): Promise<void> {
    if (use) await this.collector.store(tx, use);
  }
}

/** See {@link PeopleAddedConsumer}. */
@Consumes(calendarEvents['attendees.added'])
export class AttendeesAddedConsumer extends PeopleAddedConsumer {}

/** See {@link PeopleAddedConsumer}. */
@Consumes(taskEvents['participants.added'])
export class TaskParticipantsAddedConsumer extends PeopleAddedConsumer {}

/** Collects addresses of mails that a user reads; no contact counts as used by that. */
@Consumes(mailboxEvents.read)
export class MailReadConsumer extends PeopleAddedConsumer {
  protected override readonly source = 'reading';
}
