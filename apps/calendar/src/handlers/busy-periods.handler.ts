import {
  AVAILABILITY_IN_FREE_BUSY,
  calendarBusy,
  CalendarErrors,
  MAX_BUSY_PERIODS,
  type BusyPeriodsQuery,
  type CallOf,
  type Handler,
  type Tenant,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ExpansionBudget, RecurrenceError, resolveTimeZone } from '@groupware/recurrence';
import { Handles, isTurnOver, Logger, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import { BusyList, toInstant, type Period, listBusyTimes } from '../domain/busy-periods';
import { PARTICIPANT, SHOWN_AS } from '../domain/appointment';
import { listUnavailable } from '../events/availability';
import { AvailabilityRepository } from '../persistence/availability.repository';
import { seriesOf } from '../domain/series';
import { BusyPeriodsRepository, type BusyRow } from '../persistence/busy-periods.repository';

const log = Logger.for('calendar.busy');

/** Busy time for other services: read from the appointments at every call, so it can't differ from them. */
@Handles(calendarBusy.periods)
export class BusyPeriodsHandler implements Handler<typeof calendarBusy.periods> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly busy: BusyPeriodsRepository,
    private readonly properties: Properties,
    private readonly config: CalendarConfig,
    private readonly availability: AvailabilityRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarBusy.periods>) {
    const max = this.properties.serverValue(MAX_BUSY_PERIODS);
    const rows = await this.database.read(principal, (db) => this.busy.listBusyRows(db, query, max + 1));
    if (rows.length > max) throw CalendarErrors.tooMany(max);
    const range = { startMs: query.from, endMs: query.until };
    const lists = query.entities.map(({ timeZone }) => ({
      zone: resolveTimeZone(timeZone) ?? 'UTC',
      busy: new BusyList(range, query.identify, query.ofEvents),
    }));
    const known = new Map<string | number, readonly Period[]>();
    const budget = new ExpansionBudget(this.config.maxExpansionSteps);
    let count = 0;
    for (const row of rows) {
      if (isTurnOver()) await yieldToEventLoop();
      const [entity, id, shownAs, startMs, endMs, floating, timeZone] = row;
      const { zone, busy } = lists[entity - 1]!;
      if (timeZone === null) {
        count += 1;
        busy.addPeriod(toInstant(startMs, floating, zone), toInstant(endMs, floating, zone), shownAs, id);
      } else {
        // Attendees of one series share its expansion.
        const key = floating ? `${id} ${zone}` : id;
        let times = known.get(key);
        if (!times) known.set(key, (times = this.expand(row, zone, range, max + 1 - count, budget)));
        count += times.length;
        for (const time of times) busy.addPeriod(time.startMs, time.endMs, shownAs, id);
      }
      if (budget.isSpent) throw CalendarErrors.tooMany(budget.maxSteps);
      if (count > max) throw CalendarErrors.tooMany(max);
    }
    await this.addUnavailable(principal, query, lists, { limit: max, budget });
    return lists.map(({ busy }) => busy.flat);
  }

  /** The time outside of what users set as available. */
  private async addUnavailable(
    tenant: Tenant,
    { entities, from, until }: BusyPeriodsQuery,
    lists: readonly { readonly zone: string; readonly busy: BusyList }[],
    { limit, budget }: { readonly limit: number; readonly budget: ExpansionBudget },
  ): Promise<void> {
    const users = entities.flatMap(({ type, id }) => (type === PARTICIPANT.user ? [id] : []));
    if (users.length === 0 || !(await this.properties.get(AVAILABILITY_IN_FREE_BUSY, tenant))) return;
    const times = await this.database.read(tenant, (db) => this.availability.listTimesOfMany(db, users));
    for (const [index, { type, id }] of entities.entries()) {
      if (isTurnOver()) await yieldToEventLoop();
      const { zone, busy } = lists[index]!;
      const own = type === PARTICIPANT.user ? times.filter(({ userId }) => userId === id) : [];
      for (const { startMs, endMs } of listUnavailable(own, zone, { startMs: from, endMs: until }, limit, budget))
        busy.addPeriod(startMs, endMs, SHOWN_AS.absent, 0);
    }
  }

  private expand(row: BusyRow, zone: string, range: Period, limit: number, budget: ExpansionBudget): readonly Period[] {
    const [, id, , startMs, endMs, floating, timeZone, fullTime, rule, rdates, exdates, ...others] = row;
    const [changes, rdatePeriods, skippedStart] = others;
    try {
      const recurring = { startMs, endMs, floating, timeZone: timeZone!, fullTime: fullTime!, rule, rdates, exdates };
      return listBusyTimes(
        seriesOf({ ...recurring, changes, rdatePeriods, skippedStart }),
        { floating, zone },
        range,
        limit,
        budget,
      );
    } catch (error) {
      // One hostile rule must not hide the rest of the calendar.
      if (!(error instanceof RecurrenceError)) throw error;
      log.warn({ appointment: id, reason: error.message }, 'series left out');
      return [];
    }
  }
}
