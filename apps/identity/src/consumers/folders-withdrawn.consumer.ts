import { calendarEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { GuestRepository } from '../persistence/guest.repository';
import { SessionKeeper } from '../sessions/session-keeper';

const withdrawn = calendarEvents['folders.withdrawn'];

/** Deletes guests whose last permission was withdrawn. */
@Consumes(withdrawn)
export class FoldersWithdrawnConsumer implements Consumer<typeof withdrawn> {
  constructor(
    private readonly guests: GuestRepository,
    private readonly sessions: SessionKeeper,
  ) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof withdrawn>>, tx: Transaction): Promise<void> {
    await this.guests.deleteWithdrawn(tx, payload.entities, payload.stamp);
  }

  /** Ends the sessions of those who are gone. */
  async afterCommit({ contextId, payload }: EventMessage<PayloadOf<typeof withdrawn>>): Promise<void> {
    await this.sessions.refreshUsers(contextId, payload.entities);
  }
}
