import { calendarReminders, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { EventAlarmChanges } from '../alarms/event-alarm-changes';
import { OwnReminders } from '../alarms/own-reminders';
import { REMINDER_STATE } from '../alarms/reminder';
import { TriggerReminders } from '../alarms/trigger-reminders';

/** `remove`: reminders the user has seen. */
@Handles(calendarReminders.remove)
export class RemindersRemoveHandler implements Handler<typeof calendarReminders.remove> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly own: OwnReminders,
    private readonly triggers: TriggerReminders,
    private readonly changes: EventAlarmChanges,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarReminders.remove>) {
    const user = principal.user!;
    const removed = await this.database.transact(user, (tx) =>
      this.own.updateReminders(tx, user, query.ids, { state: REMINDER_STATE.deleted, dueMs: null }),
    );
    await this.changes.noteAcknowledged(
      user,
      removed.map(({ targetId }) => targetId),
    );
    const known = removed.map(({ id }) => id);
    const own = new Set(known);
    const others = query.ids.filter((id) => !own.has(id));
    return others.length > 0 ? [...known, ...(await this.triggers.remove(user, others))] : known;
  }
}
