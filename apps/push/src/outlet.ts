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

  /** Stores news in the transaction of what they are about; streams hear of them right after the commit. */
  async tell(tx: Transaction, news: readonly News[]): Promise<void> {
    const heard = news.filter(({ users }) => users.length > 0);
    if (heard.length === 0) return;
    const at = this.clock.now();
    // Together: they share a round trip.
    const [stored, queued] = await Promise.all([
      this.notices.append(tx, heard, at, this.config.retentionCount),
      this.deliveries.add(tx, heard, at),
    ]);
    tx.afterCommit(() => {
      if (queued > 0) this.loop.poke();
      for (const {
        userId,
        epoch,
        seq,
        news: { topic, data },
      } of stored)
        this.events.broadcast(noticeBroadcast(tx.contextId, userId), { epoch, notice: { seq, topic, data, at } });
    });
  }
}
