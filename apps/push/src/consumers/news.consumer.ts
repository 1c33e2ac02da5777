import { calendarEvents, dueAlarmEvents, TOPICS, type DueAlarm, type EventMessage } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock, ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { CalendarNewsBuilder, type ReadersByFolder } from '../calendar-news';
import type { News } from '../domain/news';
import { reminderNews } from '../domain/reminder-news';
import { Outlet } from '../outlet';
import { PushConfig } from '../push.config';

const dueAlarms = dueAlarmEvents();
const dueAlarmNames = new Set(dueAlarms.map(({ name }) => name));

/** Tells users what happened to their appointments, calendars and alarms: one order for all that concerns a user. */
@ConsumesBatches(
  calendarEvents['appointment.created'],
  calendarEvents['appointment.changed'],
  calendarEvents['appointment.deleted'],
  calendarEvents['import.finished'],
  ...dueAlarms,
)
export class NewsConsumer implements BatchConsumer<ReadersByFolder> {
  constructor(
    private readonly outlet: Outlet,
    private readonly calendar: CalendarNewsBuilder,
    private readonly clock: Clock,
    private readonly config: PushConfig,
  ) {}

  prepare(messages: readonly EventMessage[]): Promise<ReadersByFolder> {
    return this.calendar.readersOf(this.recent(messages));
  }

  async handleBatch(messages: readonly EventMessage[], tx: Transaction, readers: ReadersByFolder): Promise<void> {
    const news = this.recent(messages).flatMap((message): News[] => {
      if (!dueAlarmNames.has(message.name)) return this.calendar.newsOf(message, readers);
      const alarm = message.payload as DueAlarm;
      return [{ users: [alarm.userId], topic: TOPICS.reminderDue, data: reminderNews(alarm) }];
    });
    await this.outlet.tell(tx, news);
  }

  /** Leaves out old events, after an outage or when the module is new: notices of then are not kept. */
  private recent(messages: readonly EventMessage[]): readonly EventMessage[] {
    const oldest = this.clock.now() - this.config.retentionMs;
    return messages.filter(({ occurredAt }) => occurredAt >= oldest);
  }
}
