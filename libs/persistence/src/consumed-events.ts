import type { EventMessage } from '@groupware/contracts';
import type { ModuleDatabase } from './module-database';
import type { Transaction } from './reader';

/**
 * Runs the effect of an event once per consumer: the message id is noted in the transaction of the effect. False when the
 * message was consumed before.
 */
export async function consumeOnce<P extends object>(
  database: ModuleDatabase,
  consumer: string,
  message: EventMessage<P>,
  effect: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  return database.transact(message, async (tx) => {
    // Two deliveries at once: the second waits here for the first one's commit, then finds the row.
    const isNew = await tx.run(
      `insert into consumed_event (consumer, message_id, consumed_at)
       select $2, $3, $4 where $1::int is not null on conflict do nothing`,
      consumer,
      message.id,
      Date.now(),
    );
    if (isNew === 0) return false;
    await effect(tx);
    return true;
  });
}
