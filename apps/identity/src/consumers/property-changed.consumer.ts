import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SessionKeeper } from '../sessions/session-keeper';

type Event = (typeof identityEvents)['property.changed'];

/** Properties may switch capabilities: live sessions get the current principal. */
@Consumes(identityEvents['property.changed'])
export class PropertyChangedConsumer implements Consumer<Event> {
  constructor(private readonly sessions: SessionKeeper) {}

  async afterCommit({ contextId, payload }: EventMessage<PayloadOf<Event>>): Promise<void> {
    if (payload.userId === undefined) await this.sessions.refreshContext(contextId);
    else await this.sessions.refreshUsers(contextId, [payload.userId]);
  }
}
