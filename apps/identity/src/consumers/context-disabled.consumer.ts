import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SessionKeeper } from '../login/session-keeper';
import { ContextRepository } from '../persistence/context.repository';

type Event = (typeof identityEvents)['context.disabled'];

/** Ends the sessions of a disabled context, unless it was enabled again before the event arrived. */
@Consumes(identityEvents['context.disabled'])
export class ContextDisabledConsumer implements Consumer<Event> {
  constructor(
    private readonly sessions: SessionKeeper,
    private readonly contexts: ContextRepository,
  ) {}

  async handle({ contextId }: EventMessage<PayloadOf<Event>>, tx: Transaction): Promise<void> {
    const context = await this.contexts.find(tx);
    if (!context?.enabled) await this.sessions.closeContext(contextId);
  }
}
