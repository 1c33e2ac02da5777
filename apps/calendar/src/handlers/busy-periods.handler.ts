import { calendarBusy, CalendarErrors, MAX_BUSY_PERIODS, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { RecurrenceError, resolveTimeZone } from '@groupware/recurrence';
import { Handles, Logger, Properties } from '@groupware/service-kit';
import { stretchesOf, type Stretch } from '../domain/busy-periods';
import { BusyPeriodsRepository, type BusyRow } from '../persistence/busy-periods.repository';

const log = Logger.for('calendar.busy');

/** Busy time for other services: read from the appointments at every call, so it can't differ from them. */
@Handles(calendarBusy.periods)
export class BusyPeriodsHandler implements Handler<typeof calendarBusy.periods> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly busy: BusyPeriodsRepository,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendarBusy.periods>) {
    const max = this.properties.serverValue(MAX_BUSY_PERIODS);
    const rows = await this.database.read(principal, (db) => this.busy.rows(db, query, max + 1));
    const byEntity = new Map<string, BusyRow[]>();
    for (const row of rows) {
      const key = `${row.type}:${row.entity}`;
      const known = byEntity.get(key);
      if (known) known.push(row);
      else byEntity.set(key, [row]);
    }
    const range = { startMs: query.from, endMs: query.until };
    const known = new Map<string, readonly Stretch[]>();
    let count = 0;
    return query.entities.map(({ type, id, timeZone }) => {
      const zone = resolveTimeZone(timeZone) ?? 'UTC';
      const flat: number[] = [];
      for (const row of byEntity.get(`${type}:${id}`) ?? []) {
        // Whoever attends the same appointment shares its times.
        const key = row.floating ? `${row.id} ${zone}` : String(row.id);
        let stretches = known.get(key);
        if (!stretches) known.set(key, (stretches = this.expand(row, zone, range, max + 1 - count)));
        count += stretches.length;
        if (count > max || rows.length > max) throw CalendarErrors.tooMany(max);
        for (const { startMs, endMs } of stretches) flat.push(startMs, endMs, row.shownAs);
      }
      return flat;
    });
  }

  private expand(row: BusyRow, zone: string, range: Stretch, limit: number): readonly Stretch[] {
    try {
      return stretchesOf(row, zone, range, limit);
    } catch (error) {
      // One hostile rule must not hide the rest of the calendar.
      if (!(error instanceof RecurrenceError)) throw error;
      log.warn({ appointment: row.id, reason: error.message }, 'series left out');
      return [];
    }
  }
}
