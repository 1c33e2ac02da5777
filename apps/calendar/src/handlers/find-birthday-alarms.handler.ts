import { type AlarmData, birthdayAlarms, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FeedDefaultAlarms } from '../feeds/feed-default-alarms';

/** The alarms of birthdays for which a user set none. */
@Handles(birthdayAlarms.find)
export class FindBirthdayAlarmsHandler implements Handler<typeof birthdayAlarms.find> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly alarms: FeedDefaultAlarms,
  ) {}

  async handle({ principal }: CallOf<typeof birthdayAlarms.find>): Promise<AlarmData[] | null> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('alarms of birthdays are those of a user');
    const feed = await this.database.read(user, (db) => this.alarms.findBirthdays(db, user.userId));
    return feed ? [...(feed.defaultAlarms?.date ?? [])] : null;
  }
}
