import { REMINDER_MODULE, reminder, reply, type CallOf, type Handler, type ReminderData } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { dueInstant, toReminderData } from '../alarms/reminder-wire';
import { ReminderRepository } from '../alarms/reminder.repository';
import { CalendarConfig } from '../calendar.config';
import { resolveRequestZone } from '../domain/request-zone';

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
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const until = Math.max(-LAST_MS, Math.min(LAST_MS, query.end ?? now));
    if (query.modules && !query.modules.includes(REMINDER_MODULE.calendar))
      return reply<ReminderData[]>([], { timestamp: now });
    const shown = await this.database.read(principal, (db) =>
      this.reminders.listShown(db, principal.userId, until, this.config.reminderMax),
    );
    const due = shown
      .map((entry) => ({ entry, at: dueInstant(entry, principal.timeZone) }))
      .filter(({ at }) => at <= until)
      .sort((a, b) => a.at - b.at || a.entry.id - b.entry.id);
    return reply<ReminderData[]>(
      due.map(({ entry, at }) => toReminderData(entry, at, { zone, now })),
      { timestamp: now },
    );
  }
}
