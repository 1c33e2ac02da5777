import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SessionKeeper } from '../sessions/session-keeper';

type Event = (typeof identityEvents)['context.deleting'];

/** Ends the sessions of a removed context. */
@Consumes(identityEvents['context.deleting'])
export class ContextDeletingConsumer implements Consumer<Event> {
  constructor(private readonly sessions: SessionKeeper) {}

  async afterCommit({ contextId }: EventMessage<PayloadOf<Event>>): Promise<void> {
    await this.sessions.closeContextSessions(contextId);
  }
}
