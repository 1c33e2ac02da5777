import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { OwnerRemoval } from '../owner-removal';

const deleting = identityEvents['user.deleting'];

/** Removes the log levels of a user who goes. */
@Consumes(deleting)
export class LoggingUserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly owners: OwnerRemoval) {}

  /** Levels lie in the session store, beyond the transaction. */
  async prepare({ contextId, payload }: EventMessage<PayloadOf<typeof deleting>>): Promise<undefined> {
    await this.owners.removeUser(contextId, payload.userId);
    return undefined;
  }

  async handle(): Promise<void> {
    // All is done before.
  }
}
