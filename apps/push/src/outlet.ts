import { noticeBroadcast } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { DeliveryLoop } from './delivery/delivery-loop';
import { DeliveryRepository } from './delivery/delivery.repository';
import type { News } from './domain/news';
import { NoticeRepository } from './persistence/notice.repository';
import { PushConfig } from './push.config';

/** The one way by which users are told: notices for streams, deliveries for everything that is called. */
@Injectable()
export class Outlet {
  constructor(
    private readonly notices: NoticeRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly loop: DeliveryLoop,
    private readonly events: EventBus,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  /** Before several pieces of news in one transaction: two such transactions must not wait for each other. */
  async lock(tx: Transaction, users: readonly number[]): Promise<void> {
    await this.notices.lock(tx, users);
    await this.deliveries.lock(tx, users);
  }

  /** Stores the news in the transaction of what they are about; streams hear of them right after the commit. */
  async tell(tx: Transaction, { users, topic, data }: News): Promise<void> {
    if (users.length === 0) return;
    const at = this.clock.now();
    const stored = await this.notices.append(tx, users, { topic, data, at }, this.config.retentionCount);
    const queued = await this.deliveries.add(tx, { users, topic, data }, at);
    tx.afterCommit(() => {
      if (queued > 0) this.loop.poke();
      for (const { userId, epoch, seq } of stored)
        this.events.broadcast(noticeBroadcast(tx.contextId, userId), { epoch, notice: { seq, topic, data, at } });
    });
  }
}
