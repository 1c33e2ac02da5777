import { Injectable } from '@nestjs/common';
import {
  calendarEvents,
  taskEvents,
  type AddedParticipants,
  type EventMessage,
  type EventType,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AddressCollector, type AddressUse } from '../collected/address-collector';

/** Contacts whom a user makes take part are offered to that user first; addresses without a contact are collected. */
@Injectable()
abstract class PeopleAddedConsumer implements Consumer<EventType<AddedParticipants>, AddressUse | undefined> {
  constructor(private readonly collector: AddressCollector) {}

  prepare(message: EventMessage<AddedParticipants>): Promise<AddressUse | undefined> {
    const { userId, people } = message.payload;
    return this.collector.prepare(message, userId, people, 'participation');
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
