import type { EventMessage, PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '../../define-service';
import { kitTestEvents } from '../kit-test.contract';

/** Stores an echo of each note; its words are found before the transaction. */
@Consumes(kitTestEvents.noted)
export class NotedConsumer implements Consumer<typeof kitTestEvents.noted, string> {
  prepare({ payload }: EventMessage<PayloadOf<typeof kitTestEvents.noted>>): Promise<string> {
    return Promise.resolve(`echo of ${payload.text}`);
  }

  async handle(
    _message: EventMessage<PayloadOf<typeof kitTestEvents.noted>>,
    tx: Transaction,
    echo: string,
  ): Promise<void> {
    await tx.run('insert into note (context_id, text) values ($1, $2)', echo);
  }
}
