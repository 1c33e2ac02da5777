import type { EventMessage, PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '../../define-service';
import { kitTestEvents } from '../kit-test.contract';

/** Stores a second echo: several consumers of a service may take the same event. What follows the commit fails once. */
@Consumes(kitTestEvents.noted)
export class NotedTooConsumer implements Consumer<typeof kitTestEvents.noted> {
  async handle({ payload }: EventMessage<PayloadOf<typeof kitTestEvents.noted>>, tx: Transaction): Promise<void> {
    await tx.run('insert into note (context_id, text) values ($1, $2)', `second echo of ${payload.text}`);
  }

  /** Ids of the events whose effects elsewhere were tried. */
  static readonly attempts: string[] = [];

  async afterCommit({ id }: EventMessage<PayloadOf<typeof kitTestEvents.noted>>): Promise<void> {
    NotedTooConsumer.attempts.push(id);
    if (NotedTooConsumer.attempts.length === 1) throw new Error('a store is unreachable');
  }
}
