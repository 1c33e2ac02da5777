import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SessionKeeper } from '../sessions/session-keeper';

type Event = (typeof identityEvents)['user.changed'];

/** Gives live sessions of a changed user the current principal; those of a disabled user end. */
@Consumes(identityEvents['user.changed'])
export class UserChangedConsumer implements Consumer<Event> {
  constructor(private readonly sessions: SessionKeeper) {}

  async afterCommit({ contextId, payload }: EventMessage<PayloadOf<Event>>): Promise<void> {
    await this.sessions.refreshUsers(contextId, [payload.userId]);
  }
}
