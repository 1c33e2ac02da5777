import { REMINDER_MODULE, reminder, reply, type CallOf, type Handler, type ReminderData } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Clock, Handles } from '@groupware/service-kit';
import { reminderData } from '../alarms/reminder-wire';
import { ReminderRepository } from '../alarms/reminder.repository';
import { CalendarConfig } from '../calendar.config';

/** Times of the wire may be larger than a bigint. */
const LAST_MS = Number.MAX_SAFE_INTEGER;

/** `reminder?action=range`: what the user is to be reminded of until a point in time. */
@Handles(reminder.range)
export class ReminderRangeHandler implements Handler<typeof reminder.range> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly reminders: ReminderRepository,
    private readonly config: CalendarConfig,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query }: CallOf<typeof reminder.range>) {
    const now = this.clock.now();
    const until = Math.max(-LAST_MS, Math.min(LAST_MS, query.end ?? now));
    if (query.modules && !query.modules.includes(REMINDER_MODULE.calendar))
      return reply<ReminderData[]>([], { timestamp: now });
    const zone = resolveTimeZone(principal.timeZone) ?? 'UTC';
    const shown = await this.database.read(principal, (db) =>
      this.reminders.shown(db, principal.userId, until, this.config.reminderMax),
    );
    const due = shown.map((entry) => reminderData(entry, zone, now)).filter(({ alarm }) => alarm <= until);
    return reply<ReminderData[]>(
      due.sort((a, b) => a.alarm - b.alarm || a.id - b.id),
      { timestamp: now },
    );
  }
}
