import { type EventMessage, type EventType, type FoldersWithdrawn } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock, Consumes, Logger, type Consumer } from '@groupware/service-kit';
import type { Type } from '@nestjs/common';
import { GuestFolders } from '../guests/guest-folders';
import { GuestWithdrawals } from '../guests/guest-withdrawals';

/** A module that has not answered for so long after a withdrawal is taken as not installed, ms: the guests stay. */
const GIVE_UP_AFTER_MS = 86_400_000;

/** Makes the consumer that deletes guests who lost their last right in one module and have none in any other. */
export function createFoldersWithdrawnConsumer(withdrawn: EventType<FoldersWithdrawn>): Type {
  @Consumes(withdrawn)
  class FoldersWithdrawnConsumer implements Consumer<typeof withdrawn, ReadonlySet<number>> {
    private readonly log = Logger.for('identity.provisioning');

    constructor(
      private readonly withdrawals: GuestWithdrawals,
      private readonly folders: GuestFolders,
      private readonly clock: Clock,
    ) {}

    /** The guests who keep something. Fails, and is tried again later, while a module is down that could tell of more. */
    async prepare({ contextId, payload }: EventMessage<FoldersWithdrawn>): Promise<ReadonlySet<number>> {
      try {
        return await this.folders.listWithFolders(contextId, payload.entities);
      } catch (error) {
        if (this.clock.now() - payload.stamp < GIVE_UP_AFTER_MS) throw error;
        this.log.warn({ contextId, error: String(error) }, 'guests stay: a module does not tell what they have');
        return new Set(payload.entities);
      }
    }

    async handle({ payload }: EventMessage<FoldersWithdrawn>, tx: Transaction, kept: ReadonlySet<number>) {
      const gone = payload.entities.filter((entity) => !kept.has(entity));
      if (gone.length > 0) await this.withdrawals.removeGuests(tx, gone, payload.stamp);
    }

    /** Ends the sessions of those who are gone. */
    afterCommit({ contextId, payload }: EventMessage<FoldersWithdrawn>): Promise<void> {
      return this.withdrawals.endSessions({ contextId }, payload.entities);
    }
  }
  return FoldersWithdrawnConsumer;
}
