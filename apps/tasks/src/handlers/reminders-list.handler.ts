import { taskReminders, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ReminderRepository } from '../reminders/reminder.repository';
import { toOwnedReminder } from '../reminders/task-reminders';
import { TasksConfig } from '../tasks.config';

/** `list`: tasks of which the user is to be reminded until a point in time. */
@Handles(taskReminders.list)
export class RemindersListHandler implements Handler<typeof taskReminders.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly reminders: ReminderRepository,
    private readonly config: TasksConfig,
  ) {}

  async handle({ principal, query }: CallOf<typeof taskReminders.list>) {
    const user = principal.user!;
    const until = Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, query.until));
    const shown = await this.database.read(user, (db) =>
      this.reminders.listShown(db, user.userId, until, this.config.reminderMax),
    );
    return shown.map(toOwnedReminder);
  }
}
