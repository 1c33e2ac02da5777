import { chronosAlarms, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PendingAlarms } from '../alarms/pending-alarms';
import { parseInstant } from '../events/event-time';
import { BirthdayCalendars } from '../feeds/birthday-calendars';

const SHOWN = 'DISPLAY,AUDIO';

/** `chronos/alarm?action=pending`: alarms whose time has come or comes soon. */
@Handles(chronosAlarms.pending)
export class ChronosAlarmPendingHandler implements Handler<typeof chronosAlarms.pending> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly alarms: PendingAlarms,
    private readonly birthdays: BirthdayCalendars,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronosAlarms.pending>) {
    const { rangeStart, rangeEnd, actions = SHOWN } = query;
    const range = {
      fromMs: rangeStart === undefined ? undefined : parseInstant('rangeStart', rangeStart),
      toMs: parseInstant('rangeEnd', rangeEnd),
      // Older clients call it so.
      actions: new Set(
        actions.split(',').map((name) =>
          name
            .trim()
            .toUpperCase()
            .replace(/^MAIL$/, 'EMAIL'),
        ),
      ),
    };
    await this.birthdays.refreshFollowed(principal);
    return this.database.read(principal, (db) => this.alarms.listPending(db, principal, range));
  }
}
