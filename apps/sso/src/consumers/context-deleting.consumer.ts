import { identityEvents, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AccountRepository } from '../persistence/account.repository';
import { GrantRepository } from '../persistence/grant.repository';

const deleting = identityEvents['context.deleting'];

/** Nothing of a context that goes stays. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly grants: GrantRepository,
    private readonly accounts: AccountRepository,
  ) {}

  async handle(_message: EventMessage, tx: Transaction): Promise<void> {
    await this.grants.removeContext(tx);
    await this.accounts.removeContext(tx);
  }
}
