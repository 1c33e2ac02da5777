import { pushStreams, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { NoticeRepository } from '../persistence/notice.repository';
import { SubscriptionRepository } from '../persistence/subscription.repository';
import { PushConfig } from '../push.config';

/** `open`: a stream of the user opens, or its subscriptions changed. */
@Handles(pushStreams.open)
export class OpenHandler implements Handler<typeof pushStreams.open> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly notices: NoticeRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  handle({ principal, query }: CallOf<typeof pushStreams.open>) {
    const now = this.clock.now();
    return this.database.transact(principal, async (tx) => {
      const position = await this.notices.open(tx, query.user, now, now + this.config.retentionMs);
      const topics = await this.subscriptions.topicsOf(tx, query.user, query.transport);
      return { ...position, ...(topics ? { topics } : {}) };
    });
  }
}
