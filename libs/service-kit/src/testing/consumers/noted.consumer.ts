import type { EventMessage, PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '../../define-service';
import { kitTestEvents } from '../kit-test.contract';

/** Stores an echo of each note. */
@Consumes(kitTestEvents.noted)
export class NotedConsumer implements Consumer<typeof kitTestEvents.noted> {
  async handle({ payload }: EventMessage<PayloadOf<typeof kitTestEvents.noted>>, tx: Transaction): Promise<void> {
    await tx.run('insert into note (context_id, text) values ($1, $2)', `echo of ${payload.text}`);
  }
}
