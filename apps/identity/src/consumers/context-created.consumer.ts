import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { Readiness } from '../provisioning/readiness';

type Event = (typeof identityEvents)['context.created'];

/** Completes provisioning of contexts created without waiting, or whose process died meanwhile. */
@Consumes(identityEvents['context.created'])
export class ContextCreatedConsumer implements Consumer<Event, void> {
  constructor(
    private readonly readiness: Readiness,
    private readonly contexts: ContextRepository,
  ) {}

  prepare({ contextId }: EventMessage<PayloadOf<Event>>): Promise<void> {
    return this.readiness.prepareAdministrator(contextId);
  }

  handle(_message: EventMessage<PayloadOf<Event>>, tx: Transaction): Promise<void> {
    return this.contexts.endProvisioning(tx);
  }
}
