import { birthdayAlarms, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseDefaultAlarms } from '../events/default-alarms';
import { BirthdayCalendars } from '../feeds/birthday-calendars';
import { FeedDefaultAlarms } from '../feeds/feed-default-alarms';

/** Replaces the alarms of birthdays for which a user set none. */
@Handles(birthdayAlarms.replace)
export class ReplaceBirthdayAlarmsHandler implements Handler<typeof birthdayAlarms.replace> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly birthdays: BirthdayCalendars,
    private readonly alarms: FeedDefaultAlarms,
  ) {}

  async handle({ principal, query }: CallOf<typeof birthdayAlarms.replace>): Promise<boolean> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('alarms of birthdays are those of a user');
    const date = parseDefaultAlarms(query.alarms);
    await this.birthdays.ensureCalendar(user);
    return this.database.transact(user, async (tx) => {
      const feed = await this.alarms.findBirthdays(tx, user.userId);
      if (!feed) return false;
      await this.alarms.setDefaultAlarms(tx, feed, { date, dateTime: feed.defaultAlarms?.dateTime ?? [] });
      return true;
    });
  }
}
