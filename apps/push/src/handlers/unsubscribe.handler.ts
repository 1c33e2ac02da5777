import { noticeBroadcast, pns, type CallOf, type Handler } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, hashPushToken } from '@groupware/service-kit';
import { SubscriptionRepository } from '../persistence/subscription.repository';
import { requireValue, transportOf } from './subscribe.handler';

/** `unsubscribe`: nothing is sent under this token any more. */
@Handles(pns.unsubscribe)
export class UnsubscribeHandler implements Handler<typeof pns.unsubscribe> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly subscriptions: SubscriptionRepository,
    private readonly events: EventBus,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof pns.unsubscribe>) {
    const { contextId, userId } = principal;
    const transport = transportOf(requireValue('transport', body?.transport, query.transport));
    const token = requireValue('token', body?.token, query.token);
    await this.database.transact(principal, async (tx) => {
      const client = body?.client ?? query.client ?? undefined;
      await this.subscriptions.remove(tx, { userId, transport, tokenHash: hashPushToken(transport, token), client });
      tx.afterCommit(() => this.events.broadcast(noticeBroadcast(contextId, userId), { subscriptions: true }));
    });
    return { success: true };
  }
}
