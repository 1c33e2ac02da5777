import { calendarReminders, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { dueInstant, toOwnedReminder } from '../alarms/reminder-wire';
import { ReminderRepository } from '../alarms/reminder.repository';
import { CalendarConfig } from '../calendar.config';

/** Times of the wire may be larger than a bigint. */
const LAST_MS = Number.MAX_SAFE_INTEGER;

/** `list`: what the user is to be reminded of until a point in time. */
@Handles(calendarReminders.list)
export class RemindersListHandler implements Handler<typeof calendarReminders.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly reminders: ReminderRepository,
    private readonly config: CalendarConfig,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarReminders.list>) {
    const user = principal.user!;
    const until = Math.max(-LAST_MS, Math.min(LAST_MS, query.until));
    const shown = await this.database.read(user, (db) =>
      this.reminders.listShown(db, user.userId, until, this.config.reminderMax),
    );
    return shown
      .filter((reminder) => dueInstant(reminder, user.timeZone) <= until)
      .map((reminder) => toOwnedReminder(reminder, user.timeZone));
  }
}
