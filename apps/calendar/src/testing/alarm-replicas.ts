import {
  type AlarmMail,
  calendarEvents,
  calendarReminders,
  type DueAlarm,
  type EventMessage,
  type OwnedReminder,
  reminderEvents,
} from '@groupware/contracts';
import { Bus, EventBus } from '@groupware/messaging';
import { Clock, runServices, type RunningServices } from '@groupware/service-kit';
import { AlarmLoop } from '../alarms/alarm-loop';
import { service } from '../index';
import type { CalendarUser } from './calendar-user';
import { runCalendar, type RunningCalendar } from './running-calendar';

const onBehalfOf = ({ principal }: CalendarUser) =>
  ({ kind: 'internal', service: 'settings', contextId: principal.contextId, user: principal }) as const;

/** Two replicas of the calendar, whose clock and rounds of alarms are those of the test, and a listener to what they tell. */
export class AlarmReplicas {
  readonly heard: (DueAlarm & { contextId: number; messageId: string })[] = [];
  readonly mails: (AlarmMail & { contextId: number; messageId: string })[] = [];

  private constructor(
    readonly running: RunningCalendar,
    readonly loops: readonly AlarmLoop[],
    readonly bus: Bus,
    readonly events: EventBus,
    private readonly twin: RunningServices,
  ) {}

  /** @param now the time, ms UTC */
  static async start(now: () => number, variables: Readonly<Record<string, string>> = {}): Promise<AlarmReplicas> {
    jest.spyOn(Clock.prototype, 'now').mockImplementation(now);
    const bootstrap = jest.spyOn(AlarmLoop.prototype, 'onApplicationBootstrap');
    const running = await runCalendar({ CALENDAR_ALARM_SECONDS: '0', CALENDAR_ALARM_BATCH: '7', ...variables });
    const { environment } = running;
    const twin = await runServices([service], environment);
    const bus = await Bus.connect({ url: environment.NATS_URL!, prefix: environment.GROUPWARE_BUS_PREFIX! });
    const events = new EventBus(bus);
    await events.open();
    const replicas = new AlarmReplicas(running, bootstrap.mock.contexts as AlarmLoop[], bus, events, twin);
    await replicas.listen();
    return replicas;
  }

  async close(): Promise<void> {
    await this.events.close();
    await this.bus.close();
    await this.twin.close();
    await this.running.close();
  }

  private async listen(): Promise<void> {
    const { heard, mails } = this;
    const due = async ({ id, contextId, payload }: EventMessage<DueAlarm>) => {
      heard.push({ ...payload, contextId, messageId: id });
    };
    const mail = async ({ id, contextId, payload }: EventMessage<AlarmMail>) => {
      mails.push({ ...payload, contextId, messageId: id });
    };
    await this.events.subscribe('listener', reminderEvents['alarm.due'], due as never);
    await this.events.subscribe('listener', calendarEvents['alarm-mail.requested'], mail as never);
  }

  /** Reminders of a user until a moment, the earliest first. */
  async listReminders(user: CalendarUser, until: number): Promise<OwnedReminder[]> {
    const found = await this.running.call(calendarReminders.list, { principal: onBehalfOf(user), query: { until } });
    return (found as OwnedReminder[]).sort((a, b) => a.alarm - b.alarm || a.id - b.id);
  }

  removeReminders(user: CalendarUser, ids: readonly number[]): Promise<number[]> {
    return this.running.call(calendarReminders.remove, { principal: onBehalfOf(user), query: { ids } });
  }

  snoozeReminder(user: CalendarUser, id: number, alarm: number): Promise<OwnedReminder | null> {
    return this.running.call(calendarReminders.snooze, { principal: onBehalfOf(user), query: { id, alarm } });
  }

  /** Lets the first replicas look for due alarms at the same time. */
  async runLoops(replicas: number): Promise<void> {
    await Promise.all(this.loops.slice(0, replicas).map((loop) => loop.notifyDue()));
  }

  /** Waits until the outbox is empty and everything that was sent has been heard. */
  async settle(): Promise<void> {
    const countHeard = () => this.heard.length + this.mails.length;
    for (let quiet = 0, count = countHeard(); quiet < 3;) {
      const [outbox] = await this.running.sql<{ waiting: number }>('select count(*)::int as waiting from outbox');
      await new Promise((resolve) => setTimeout(resolve, 20));
      quiet = outbox!.waiting === 0 && countHeard() === count ? quiet + 1 : 0;
      count = countHeard();
    }
  }
}
