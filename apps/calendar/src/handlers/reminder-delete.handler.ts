import { reminder, ReminderErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { OwnReminders } from '../alarms/own-reminders';
import { REMINDER_STATE } from '../alarms/reminder';

/** `reminder?action=delete`: reminders the user has seen. */
@Handles(reminder.delete)
export class ReminderDeleteHandler implements Handler<typeof reminder.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly own: OwnReminders,
  ) {}

  async handle({ principal, body }: CallOf<typeof reminder.delete>): Promise<number[]> {
    const ids = body.map(({ id }) => {
      if (id == null) throw ReminderErrors.idMissing();
      return id;
    });
    const deleted = await this.database.transact(principal, (tx) =>
      this.own.updateReminders(tx, principal, ids, { state: REMINDER_STATE.deleted, dueMs: null }),
    );
    const gone = new Set(deleted.map(({ id }) => id));
    return ids.filter((id) => !gone.has(id));
  }
}
