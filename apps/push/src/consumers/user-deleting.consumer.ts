import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { SubscriptionRepository } from '../persistence/subscription.repository';

const deleting = identityEvents['user.deleting'];

/** Subscriptions and notices go with their user. */
@Consumes(deleting)
export class UserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(private readonly subscriptions: SubscriptionRepository) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    await this.subscriptions.removeUser(tx, payload.userId);
  }
}
