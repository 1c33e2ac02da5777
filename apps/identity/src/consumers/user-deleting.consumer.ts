import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SessionKeeper } from '../sessions/session-keeper';

type Event = (typeof identityEvents)['user.deleting'];

/** Ends the sessions of a removed user. */
@Consumes(identityEvents['user.deleting'])
export class UserDeletingConsumer implements Consumer<Event> {
  constructor(private readonly sessions: SessionKeeper) {}

  async afterCommit({ contextId, payload }: EventMessage<PayloadOf<Event>>): Promise<void> {
    await this.sessions.closeUserSessions(contextId, payload.userId);
  }
}
