import { mailAccountEvents, oauthAccountEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { AccountRepository } from '../persistence/account.repository';

const deleted = oauthAccountEvents['oauth-account.deleted'];

/** Mail accounts go with the account elsewhere by which they log in. */
@Consumes(deleted)
export class OAuthAccountDeletedConsumer implements Consumer<typeof deleted> {
  constructor(private readonly repository: AccountRepository) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof deleted>>, tx: Transaction): Promise<void> {
    const { userId } = payload;
    for (const id of await this.repository.deleteByOAuthAccount(tx, userId, payload.id))
      await tx.publish(mailAccountEvents['account.deleted'], { userId, id });
  }
}
