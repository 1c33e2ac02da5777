import {
  isTopicPattern,
  MAX_SUBSCRIPTIONS,
  noticeBroadcast,
  pns,
  PushErrors,
  RequestErrors,
  TRANSPORTS,
  WEB_PUSH_ENABLED,
  WEBHOOK_ENABLED,
  type CallOf,
  type Handler,
  type Property,
  type SubscriptionData,
  type Transport,
  type UserPrincipal,
} from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles, hashPushToken, Properties } from '@groupware/service-kit';
import { readWebhookToken, readWebPushToken } from '../domain/token';
import { SubscriptionRepository, type NewSubscription } from '../persistence/subscription.repository';
import { PushConfig } from '../push.config';
import { TokenVault } from '../token-vault';

/** Properties by which transports are switched off. */
const GATES: Readonly<Partial<Record<Transport, Property<boolean>>>> = {
  webpush: WEB_PUSH_ENABLED,
  webhook: WEBHOOK_ENABLED,
};

/** The transport of a name. @throws PNS-0005 */
export function transportOf(name: string): Transport {
  if (!(TRANSPORTS as readonly string[]).includes(name)) throw PushErrors.unknownTransport(name);
  return name as Transport;
}

/** The value of a field that must be there, in the body or the URL. @throws SVL-0002 */
export function requireValue<T>(name: string, ...values: (T | null | undefined)[]): T {
  const value = values.find((each) => each !== undefined && each !== null && (each as unknown) !== '');
  if (value === undefined) throw RequestErrors.missingParameter(name);
  return value as T;
}

/** `subscribe`: stores whom to tell about what. */
@Handles(pns.subscribe)
export class SubscribeHandler implements Handler<typeof pns.subscribe> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly subscriptions: SubscriptionRepository,
    private readonly vault: TokenVault,
    private readonly properties: Properties,
    private readonly events: EventBus,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof pns.subscribe>) {
    const { contextId, userId } = principal;
    const subscription = this.read(principal, query, body ?? undefined);
    await this.checkEnabled(principal, subscription.transport);
    const limit = await this.properties.get(MAX_SUBSCRIPTIONS, principal);
    await this.database.transact(principal, async (tx) => {
      if ((await this.subscriptions.lockOthers(tx, subscription)) >= limit)
        throw PushErrors.tooManySubscriptions(limit);
      if (subscription.transport === 'webpush') await this.subscriptions.takeOver(tx, subscription);
      await this.subscriptions.store(tx, subscription, this.clock.now());
      tx.afterCommit(() => this.events.broadcast(noticeBroadcast(contextId, userId), { subscriptions: true }));
    });
    return { success: true };
  }

  private read(user: UserPrincipal, query: SubscriptionData, body: SubscriptionData | undefined): NewSubscription {
    const transport = transportOf(requireValue('transport', body?.transport, query.transport));
    const token = requireValue('token', body?.token, query.token);
    const topics = requireValue('topics', body?.topics, query.topics);
    if (topics.length === 0) throw RequestErrors.missingParameter('topics');
    for (const topic of topics) if (!isTopicPattern(topic)) throw PushErrors.badTopic(topic);
    if (transport === 'webpush') readWebPushToken(token, this.config.allowPlain);
    if (transport === 'webhook') readWebhookToken(token, this.config.allowPlain);
    return {
      userId: user.userId,
      client: body?.client ?? query.client ?? '',
      transport,
      tokenHash: hashPushToken(transport, token),
      token: this.vault.seal(token, user.contextId, user.userId),
      topics: [...new Set(topics)],
    };
  }

  private async checkEnabled(user: UserPrincipal, transport: Transport): Promise<void> {
    const gate = GATES[transport];
    if (gate && !(await this.properties.get(gate, user))) throw PushErrors.transportDisabled(transport);
  }
}
