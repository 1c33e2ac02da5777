import {
  MAX_TIME,
  parseReminderId,
  reminder,
  ReminderErrors,
  reminderOwners,
  reply,
  type CallOf,
  type Handler,
  type ReminderData,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, Handles } from '@groupware/service-kit';
import { Reminders, resolveZone, toReminderData } from '../reminders';

/** `reminder?action=remindAgain`: a reminder that comes again at another time. */
@Handles(reminder.remindAgain)
export class RemindAgainHandler implements Handler<typeof reminder.remindAgain> {
  constructor(
    private readonly caller: Caller,
    private readonly reminders: Reminders,
    private readonly clock: Clock,
  ) {}

  async handle(call: CallOf<typeof reminder.remindAgain>) {
    const { principal, query, body } = call;
    if (body.alarm == null) throw ReminderErrors.alarmMissing();
    const zone = resolveZone(query.timezone, principal);
    const { module, id } = parseReminderId(query.id);
    const owner = reminderOwners().get(module);
    const alarm = Math.max(0, Math.min(MAX_TIME, zone.localToInstant(body.alarm)));
    const again =
      owner && (await this.caller.call(owner.snooze, { ...this.reminders.toOptions(call), query: { id, alarm } }));
    if (!again) throw ReminderErrors.notFound(query.id, principal.contextId);
    const view = { userId: principal.userId, zone, now: this.clock.now() };
    return reply<ReminderData>(toReminderData(again, module, view), { timestamp: again.lastModified });
  }
}
