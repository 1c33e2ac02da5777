import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AccountRepository } from '../persistence/account.repository';
import { GrantRepository } from '../persistence/grant.repository';

const deleting = identityEvents['user.deleting'];

/** Grants and accounts elsewhere go with their user; the sessions behind them went before. */
@Consumes(deleting)
export class UserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly grants: GrantRepository,
    private readonly accounts: AccountRepository,
  ) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    await this.grants.removeUser(tx, payload.userId);
    await this.accounts.removeUser(tx, payload.userId);
  }
}
