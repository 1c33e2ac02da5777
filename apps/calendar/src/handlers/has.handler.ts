import { calendarViews, MAX_DAYS, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { RecurrenceError, type ZoneOffsets } from '@groupware/recurrence';
import { Clock, Handles, Logger, Properties } from '@groupware/service-kit';
import { markDays } from '../domain/busy-days';
import { DAY_MS, dayOf } from '../domain/local-days';
import { requestRange } from '../domain/range';
import { requestZone } from '../domain/request-zone';
import { type SeriesText, seriesTexts } from '../domain/series-text';
import { ViewRepository } from '../persistence/view.repository';

const log = Logger.for('calendar.has');

/** `has`: for each day of a range, whether an appointment of the user touches it. */
@Handles(calendarViews.has)
export class HasHandler implements Handler<typeof calendarViews.has> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly views: ViewRepository,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarViews.has>) {
    const zone = requestZone(query.timezone, principal.timeZone);
    const start = dayOf(query.start);
    const count = Math.max(0, Math.ceil((query.end - start) / DAY_MS));
    if (count > (await this.properties.get(MAX_DAYS, { contextId: principal.contextId })))
      throw RequestErrors.badParameter('end', query.end);
    if (count === 0) return [];

    const range = requestRange(start, start + count * DAY_MS, zone, 'overlap');
    const { days, series } = await this.database.read(principal, (db) =>
      this.views.days(db, principal, { range, zone, now: this.clock.now(), days: count }),
    );
    const touched = new Array<boolean>(count).fill(false);
    for (const day of days) touched[day] = true;
    for (const text of seriesTexts(series)) mark(touched, text, start, zone);
    return touched;
  }
}

function mark(touched: boolean[], { id, known }: SeriesText, start: number, zone: ZoneOffsets): void {
  try {
    markDays(touched, known, start, zone);
  } catch (error) {
    // One hostile rule must not hide the rest of the calendar.
    if (!(error instanceof RecurrenceError)) throw error;
    log.warn({ appointment: id, reason: error.message }, 'series left out');
  }
}
