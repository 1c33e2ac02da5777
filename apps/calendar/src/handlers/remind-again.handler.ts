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
import { Clock, Handles } from '@groupware/service-kit';
import { OwnReminders } from '../alarms/own-reminders';
import { REMINDER_STATE } from '../alarms/reminder';
import { dueInstant, toReminderData } from '../alarms/reminder-wire';
import { resolveRequestZone } from '../domain/request-zone';

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
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const alarm = Math.max(0, Math.min(MAX_TIME, zone.localToInstant(body.alarm)));
    const [again] = await this.database.transact(principal, (tx) =>
      this.own.updateReminders(tx, principal, [query.id], {
        state: REMINDER_STATE.snoozed,
        alarmMs: alarm,
        dueMs: alarm,
      }),
    );
    if (!again) throw ReminderErrors.notFound(query.id, principal.contextId);
    const view = { zone, now: this.clock.now() };
    return reply<ReminderData>(toReminderData(again, dueInstant(again, principal.timeZone), view), {
      timestamp: again.lastModified,
    });
  }
}
