import { taskReminders, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { REMINDER_STATE } from '../reminders/reminder.repository';
import { TaskReminders } from '../reminders/task-reminders';

/** `remove`: reminders that the user has seen. */
@Handles(taskReminders.remove)
export class RemindersRemoveHandler implements Handler<typeof taskReminders.remove> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly reminders: TaskReminders,
  ) {}

  async handle({ principal, query }: CallOf<typeof taskReminders.remove>) {
    const user = principal.user!;
    const removed = await this.database.transact(user, (tx) =>
      this.reminders.change(tx, user.userId, query.ids, { state: REMINDER_STATE.deleted, remindMs: null }),
    );
    return removed.map(({ id }) => id);
  }
}
