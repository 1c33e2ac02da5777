import { calendarReminders, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { dueInstant, toOwnedReminder } from '../alarms/reminder-wire';
import { ReminderRepository } from '../alarms/reminder.repository';
import { TriggerReminders } from '../alarms/trigger-reminders';
import { CalendarConfig } from '../calendar.config';

/** Times of the wire may be larger than a bigint. */
const LAST_MS = Number.MAX_SAFE_INTEGER;

/** `list`: what the user is to be reminded of until a point in time. */
@Handles(calendarReminders.list)
export class RemindersListHandler implements Handler<typeof calendarReminders.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly reminders: ReminderRepository,
    private readonly triggers: TriggerReminders,
    private readonly config: CalendarConfig,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarReminders.list>) {
    const user = principal.user!;
    const until = Math.max(-LAST_MS, Math.min(LAST_MS, query.until));
    const { reminderMax } = this.config;
    const [shown, others] = await this.database.read(user, async (db) => [
      await this.reminders.listShown(db, user.userId, until, reminderMax),
      await this.triggers.listShown(db, user, until),
    ]);
    const planned = shown
      .filter((reminder) => dueInstant(reminder, user.timeZone) <= until)
      .map((reminder) => toOwnedReminder(reminder, user.timeZone));
    return [...planned, ...others].sort((a, b) => b.alarm - a.alarm || b.id - a.id).slice(0, reminderMax);
  }
}
