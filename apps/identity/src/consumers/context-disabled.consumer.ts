import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SessionKeeper } from '../sessions/session-keeper';
import { ContextRepository } from '../persistence/context.repository';

type Event = (typeof identityEvents)['context.disabled'];

/** Ends the sessions of a disabled context, unless it was enabled again before the event arrived. */
@Consumes(identityEvents['context.disabled'])
export class ContextDisabledConsumer implements Consumer<Event> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly sessions: SessionKeeper,
    private readonly contexts: ContextRepository,
  ) {}

  async afterCommit({ contextId }: EventMessage<PayloadOf<Event>>): Promise<void> {
    const context = await this.database.read({ contextId }, (db) => this.contexts.findCurrent(db));
    if (!context?.enabled) await this.sessions.closeContextSessions(contextId);
  }
}
