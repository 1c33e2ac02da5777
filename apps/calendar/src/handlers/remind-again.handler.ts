import {
  MAX_TIME,
  reminder,
  ReminderErrors,
  reply,
  type CallOf,
  type Handler,
  type ReminderData,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Clock, Handles } from '@groupware/service-kit';
import { OwnReminders } from '../alarms/own-reminders';
import { REMINDER_STATE } from '../alarms/reminder';
import { reminderData } from '../alarms/reminder-wire';

/** `reminder?action=remindAgain`: a reminder that comes again at another time. */
@Handles(reminder.remindAgain)
export class RemindAgainHandler implements Handler<typeof reminder.remindAgain> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly own: OwnReminders,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof reminder.remindAgain>) {
    if (body.alarm == null) throw ReminderErrors.alarmMissing();
    const alarm = Math.max(0, Math.min(MAX_TIME, body.alarm));
    const [again] = await this.database.transact(principal, (tx) =>
      this.own.settle(tx, principal, [query.id], { state: REMINDER_STATE.again, alarmMs: alarm, dueMs: alarm }),
    );
    if (!again) throw ReminderErrors.notFound(query.id, principal.contextId);
    const zone = resolveTimeZone(principal.timeZone) ?? 'UTC';
    return reply<ReminderData>(reminderData(again, zone, this.clock.now()), { timestamp: again.lastModified });
  }
}
