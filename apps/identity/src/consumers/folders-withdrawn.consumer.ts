import { calendarEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { GuestRepository } from '../guests/guest.repository';
import { SessionKeeper } from '../login/session-keeper';

const withdrawn = calendarEvents['folders.withdrawn'];

/** Guests go with the last thing they were given. */
@Consumes(withdrawn)
export class FoldersWithdrawnConsumer implements Consumer<typeof withdrawn> {
  constructor(
    private readonly guests: GuestRepository,
    private readonly sessions: SessionKeeper,
  ) {}

  async handle({ contextId, payload }: EventMessage<PayloadOf<typeof withdrawn>>, tx: Transaction): Promise<void> {
    for (const id of await this.guests.removeWithdrawn(tx, payload.entities, payload.stamp))
      await this.sessions.closeUser(contextId, id);
  }
}
