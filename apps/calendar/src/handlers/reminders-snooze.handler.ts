import { calendarReminders, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { OwnReminders } from '../alarms/own-reminders';
import { REMINDER_STATE } from '../alarms/reminder';
import { toOwnedReminder } from '../alarms/reminder-wire';
import { TriggerReminders } from '../alarms/trigger-reminders';

/** `snooze`: a reminder that comes again at another time. */
@Handles(calendarReminders.snooze)
export class RemindersSnoozeHandler implements Handler<typeof calendarReminders.snooze> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly own: OwnReminders,
    private readonly triggers: TriggerReminders,
  ) {}

  async handle({ principal, query: { id, alarm } }: CallOf<typeof calendarReminders.snooze>) {
    const user = principal.user!;
    const [again] = await this.database.transact(user, (tx) =>
      this.own.updateReminders(tx, user, [id], { state: REMINDER_STATE.snoozed, alarmMs: alarm, dueMs: alarm }),
    );
    if (again) return toOwnedReminder(again, user.timeZone);
    return (await this.triggers.snooze(user, id, alarm)) ?? null;
  }
}
