import {
  ALL_RANGE,
  AppointmentData,
  AppointmentErrors,
  calendar,
  CalendarErrors,
  fieldOfColumn,
  FolderErrors,
  jsonText,
  MAX_RESULTS,
  reply,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { effectiveRights, rightsOf } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { RecurrenceError } from '@groupware/recurrence';
import { Clock, Handles, Logger, Properties } from '@groupware/service-kit';
import { requestRange } from '../domain/range';
import { requestZone } from '../domain/request-zone';
import { mergedRows, sortedRows } from '../domain/row-texts';
import { type RowText, seriesRows, type SeriesView } from '../domain/series-rows';
import { calendarFolderId } from '../folder-access';
import { expandedColumns } from '../persistence/appointment.columns';
import { RangeRepository, type RangeRows, type SeriesRow } from '../persistence/range.repository';

const log = Logger.for('calendar.range');

/** `all`: the appointments of a range. */
@Handles(calendar.all)
export class AllHandler implements Handler<typeof calendar.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly ranges: RangeRepository,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query }: CallOf<typeof calendar.all>) {
    const [mode, maxRows] = await Promise.all([
      query.range ?? this.properties.get(ALL_RANGE, principal),
      this.properties.get(MAX_RESULTS, principal),
    ]);
    const zone = requestZone(query.timezone, principal.timeZone);
    const range = requestRange(query.start, query.end, zone, mode as 'contained' | 'overlap');
    const asked = expandedColumns(query.columns);
    const sort = sortColumn(query.sort, query.order);
    // A column that is only sorted by goes along at the end and is cut off again.
    const columns = sort && !asked.includes(sort) ? [...asked, sort] : asked;
    const folderId = query.folder === undefined ? undefined : calendarFolderId(query.folder);

    const found = await this.database.read(principal, (db) =>
      this.ranges.rows(db, principal, { folderId, range, zone, columns, maxRows: maxRows + 1, now: this.clock.now() }),
    );
    if (!found) throw FolderErrors.notFound(folderId);
    if (folderId !== undefined) requireReadable(found, principal, folderId);
    if (found.count > maxRows) throw CalendarErrors.tooMany(maxRows);

    const view: SeriesView = { range, zone, columns, masters: query.recurrence_master ?? false, limit: maxRows };
    const series = this.expand(found.series, view);
    if (found.count + series.rows.length > maxRows) throw CalendarErrors.tooMany(maxRows);
    const text = mergedRows(found, series.rows);
    const newest = Math.max(found.newest, series.newest);
    return reply<unknown[][]>(
      jsonText(sort ? sortedRows(text, columns, asked.length, sort, /^desc$/i.test(query.order ?? '')) : text),
      { timestamp: newest > 0 ? newest : found.stamp },
    );
  }

  private expand(json: string | null, view: SeriesView): { rows: RowText[]; newest: number } {
    const rows: RowText[] = [];
    let newest = 0;
    for (const series of json === null ? [] : (JSON.parse(json) as SeriesRow[])) {
      const [id, lastModified, startMs, endMs, timeZone, fullTime, floating, rule, rdates, exdates, changes, cells] =
        series;
      try {
        const own = seriesRows(
          { id, startMs, endMs, timeZone, fullTime, floating, rule, rdates, exdates, changes, cells },
          view,
        );
        if (own.length > 0) newest = Math.max(newest, lastModified);
        for (const row of own) rows.push(row);
      } catch (error) {
        // One hostile rule must not hide the rest of the calendar.
        if (!(error instanceof RecurrenceError)) throw error;
        log.warn({ appointment: id, reason: error.message }, 'series left out');
      }
      if (rows.length > view.limit) break;
    }
    return { rows, newest };
  }
}

function requireReadable(found: RangeRows, user: UserPrincipal, folderId: number): void {
  const rights = rightsOf(effectiveRights(found.granted!, { type: found.type!, owner: found.owner! }, user));
  if (rights.folder === 0) throw FolderErrors.notVisible(folderId, user.userId);
  if (rights.read === 0) throw AppointmentErrors.notReadable(folderId);
}

/** The column to sort by unless it is the usual order. */
function sortColumn(sort: string | undefined, order: string | undefined): string | undefined {
  if (!sort) return undefined;
  const field = /^\d+$/.test(sort) ? fieldOfColumn(AppointmentData, Number(sort)) : undefined;
  const usual = (field?.property ?? sort) === 'start_date' && !/^desc$/i.test(order ?? '');
  return usual ? undefined : sort;
}
