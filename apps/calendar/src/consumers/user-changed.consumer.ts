import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { AlarmClock, Clock, Consumes, type Consumer } from '@groupware/service-kit';
import { ReminderRepository } from '../alarms/reminder.repository';
import { TriggerRepository } from '../alarms/trigger.repository';
import { FeedEventRepository } from '../feeds/feed-event.repository';

const changed = identityEvents['user.changed'];

/** Alarms of whole days follow the zone of their user. */
@Consumes(changed)
export class UserChangedConsumer implements Consumer<typeof changed> {
  constructor(
    private readonly reminders: ReminderRepository,
    private readonly triggers: TriggerRepository,
    private readonly feedEvents: FeedEventRepository,
    private readonly alarms: AlarmClock,
    private readonly clock: Clock,
  ) {}

  async handle({ payload }: EventMessage<PayloadOf<typeof changed>>, tx: Transaction): Promise<void> {
    const now = this.clock.now();
    await this.reminders.recalculateFloating(tx, payload.userId);
    await this.triggers.recalculateFloating(tx, payload.userId, now);
    await this.feedEvents.recalculateFloating(tx, payload.userId);
    tx.afterCommit(() => this.alarms.scheduleBy(now));
  }
}
