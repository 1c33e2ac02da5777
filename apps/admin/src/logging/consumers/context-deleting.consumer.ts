import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { OwnerRemoval } from '../owner-removal';

const deleting = identityEvents['context.deleting'];

/** Removes the log levels of a context that goes. */
@Consumes(deleting)
export class LoggingContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly owners: OwnerRemoval) {}

  /** Levels lie in the session store, beyond the transaction. */
  async prepare({ contextId }: EventMessage<PayloadOf<typeof deleting>>): Promise<undefined> {
    await this.owners.removeContext(contextId);
    return undefined;
  }

  async handle(): Promise<void> {
    // All is done before.
  }
}
