import { identityEvents, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { GrantRepository } from '../persistence/grant.repository';

const deleting = identityEvents['context.deleting'];

/** Nothing of a context that goes stays. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly grants: GrantRepository) {}

  handle(_message: EventMessage, tx: Transaction): Promise<void> {
    return this.grants.removeContext(tx);
  }
}
