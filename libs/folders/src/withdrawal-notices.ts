import { Injectable } from '@nestjs/common';
import { guests, type EventType, type FoldersWithdrawn, type ServicePrincipal } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import type { Transaction } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';

/** Users and guests that lost rights in one transaction. */
interface Withdrawn {
  readonly entities: Set<number>;
  stamp: number;
}

/**
 * Tells who lost rights of which others may be left. Guests without any go, and their sessions end before the change is answered
 * where the identity service answers in time, and by the event at the latest.
 */
@Injectable()
export class WithdrawalNotices {
  private readonly log = Logger.for('folders.sharing');
  private readonly pending = new WeakMap<Transaction, Withdrawn>();

  constructor(private readonly caller: Caller) {}

  /** Publishes the event of a service, and ends sessions after the commit. */
  async publishWithdrawn(
    tx: Transaction,
    event: EventType<FoldersWithdrawn>,
    entities: readonly number[],
    stamp: number,
  ): Promise<void> {
    await tx.publish(event, { entities, stamp });
    const withdrawn = this.pending.get(tx) ?? { entities: new Set(), stamp };
    this.pending.set(tx, withdrawn);
    for (const entity of entities) withdrawn.entities.add(entity);
    withdrawn.stamp = Math.max(withdrawn.stamp, stamp);
    const { contextId } = tx;
    const service = event.name.split('.', 1)[0]!;
    tx.awaitAfterCommit(() => this.endSessions({ kind: 'internal', service, contextId }, withdrawn));
  }

  /** Once for all that a transaction took. */
  private async endSessions(principal: ServicePrincipal, { entities, stamp }: Withdrawn): Promise<void> {
    const ids = [...entities];
    entities.clear();
    if (ids.length === 0) return;
    try {
      await this.caller.call(guests.withdraw, { principal, query: { entities: ids, stamp } });
    } catch (error) {
      const { contextId } = principal;
      this.log.info({ contextId, error: String(error) }, 'guests go with the event of their withdrawal');
    }
  }
}
