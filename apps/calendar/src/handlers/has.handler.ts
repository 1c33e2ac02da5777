import {
  CalendarErrors,
  calendarViews,
  MAX_DAYS,
  RequestErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ExpansionBudget, RecurrenceError, type ZoneOffsets } from '@groupware/recurrence';
import { Clock, Handles, Logger, Properties } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { markDays } from '../domain/busy-days';
import { DAY_MS, dayOf } from '../domain/local-days';
import { toRange } from '../domain/range';
import { resolveRequestZone } from '../domain/request-zone';
import { type ViewSeries, viewSeries } from '../domain/series-text';
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
    private readonly config: CalendarConfig,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarViews.has>) {
    const zone = resolveRequestZone(query.timezone, principal.timeZone);
    const start = dayOf(query.start);
    const count = Math.max(0, Math.ceil((query.end - start) / DAY_MS));
    if (count > (await this.properties.get(MAX_DAYS, { contextId: principal.contextId })))
      throw RequestErrors.badParameter('end', query.end);
    if (count === 0) return [];

    const range = toRange(start, start + count * DAY_MS, zone, 'overlap');
    const { days, series } = await this.database.read(principal, (db) =>
      this.views.days(db, principal, { range, zone, now: this.clock.now(), days: count }),
    );
    const touched = new Array<boolean>(count).fill(false);
    for (const day of days) touched[day] = true;
    const budget = new ExpansionBudget(this.config.maxExpansionSteps);
    for (const record of series) {
      await markSeriesDays(touched, viewSeries(record), start, zone, budget);
      if (budget.isSpent) throw CalendarErrors.tooMany(budget.maxSteps);
    }
    return touched;
  }
}

async function markSeriesDays(
  touched: boolean[],
  { id, known }: ViewSeries,
  start: number,
  zone: ZoneOffsets,
  budget: ExpansionBudget,
): Promise<void> {
  try {
    await markDays(touched, known, start, zone, budget);
  } catch (error) {
    // One hostile rule must not hide the rest of the calendar.
    if (!(error instanceof RecurrenceError)) throw error;
    log.warn({ appointment: id, reason: error.message }, 'series left out');
  }
}
