import { reminderEvents, TOPICS, type DueAlarm, type EventMessage, type ReminderNews } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { CalendarTeller } from '../calendar-teller';
import { Outlet } from '../outlet';

const due = reminderEvents['alarm.due'];

/** Tells a user that the time of an alarm has come. */
@Consumes(due)
export class AlarmDueConsumer implements Consumer<typeof due> {
  constructor(
    private readonly outlet: Outlet,
    private readonly teller: CalendarTeller,
  ) {}

  async handle({ payload, occurredAt }: EventMessage<DueAlarm>, tx: Transaction): Promise<void> {
    if (this.teller.isOld(occurredAt)) return;
    const data: ReminderNews = {
      id: payload.reminderId,
      module: payload.module,
      target_id: payload.targetId,
      folder: payload.folderId,
      alarm: payload.alarm,
      title: payload.title,
      start: payload.start,
      end: payload.end,
      full_time: payload.fullTime,
      ...(payload.position === undefined ? {} : { recurrence_position: payload.position }),
    };
    await this.outlet.tell(tx, { users: [payload.userId], topic: TOPICS.reminderDue, data });
  }
}
