import type { EventMessage, Tenant } from '@groupware/contracts';
import type { ModuleDatabase } from './module-database';
import type { Transaction } from './reader';

const ANY_MESSAGE = 'the id of a message is noted without its context';

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
    const isNew = await tx
      .acrossContexts(ANY_MESSAGE)
      .run(
        `insert into consumed_event (consumer, message_id, consumed_at) values ($1, $2, $3) on conflict do nothing`,
        consumer,
        message.id,
        Date.now(),
      );
    if (isNew === 0) return false;
    await effect(tx);
    return true;
  });
}

/**
 * The same for several messages of one tenant in one transaction: `effect` gets those that were not consumed before, in their
 * order. Answers how many those were.
 */
export async function consumeTogether<P extends object>(
  database: ModuleDatabase,
  consumer: string,
  tenant: Tenant,
  messages: readonly EventMessage<P>[],
  effect: (tx: Transaction, fresh: readonly EventMessage<P>[]) => Promise<void>,
): Promise<number> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  // In one order everywhere: two transactions must not wait for each other.
  const ids = [...byId.keys()].sort();
  return database.transact(tenant, async (tx) => {
    const rows = await tx.acrossContexts(ANY_MESSAGE).rows(
      `insert into consumed_event (consumer, message_id, consumed_at)
       select $1, message_id, $3 from unnest($2::uuid[]) as m (message_id)
       on conflict do nothing returning message_id`,
      consumer,
      ids,
      Date.now(),
    );
    const isNew = new Set(rows.map(([id]) => id));
    const fresh = [...byId.values()].filter(({ id }) => isNew.has(id));
    if (fresh.length > 0) await effect(tx, fresh);
    return fresh.length;
  });
}
