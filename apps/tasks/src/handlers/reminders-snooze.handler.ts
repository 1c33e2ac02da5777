import { taskReminders, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { REMINDER_STATE } from '../reminders/reminder.repository';
import { TaskReminders } from '../reminders/task-reminders';

/** `snooze`: a reminder that comes again at another time. */
@Handles(taskReminders.snooze)
export class RemindersSnoozeHandler implements Handler<typeof taskReminders.snooze> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly reminders: TaskReminders,
  ) {}

  async handle({ principal, query }: CallOf<typeof taskReminders.snooze>) {
    const user = principal.user!;
    const change = { state: REMINDER_STATE.snoozed, remindMs: query.alarm };
    const [again] = await this.database.transact(user, (tx) =>
      this.reminders.change(tx, user.userId, [query.id], change),
    );
    return again ?? null;
  }
}
