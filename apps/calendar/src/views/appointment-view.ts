import { Injectable } from '@nestjs/common';
import {
  AppointmentData,
  AppointmentErrors,
  CalendarErrors,
  fieldOfColumn,
  jsonText,
  type JsonText,
  FolderErrors,
  RequestErrors,
  sortOrder,
  type SortOrder,
  type UserPrincipal,
  APPOINTMENT_RIGHTS,
  recordCheck,
} from '@groupware/contracts';
import { effectiveRights, parseRights } from '@groupware/folders';
import type { Reader } from '@groupware/persistence';
import { ExpansionBudget, RecurrenceError } from '@groupware/recurrence';
import { Clock, isTurnOver, Logger, sortInSlices, TextPieces, yieldToEventLoop } from '@groupware/service-kit';
import { CalendarConfig } from '../calendar.config';
import type { Range } from '../domain/range';
import { byStart, mergeRows, rowsBetween, sortedRows } from '../domain/encoded-rows';
import { resolveRowTemplate } from '../domain/row-template';
import { type EncodedRow, seriesRows, type SeriesView } from '../domain/series-rows';
import { type SeriesRecord, type ViewSeries, viewSeries } from '../domain/series-text';
import { appointmentColumns, expandedColumns } from '../persistence/appointment.columns';
import { type ViewQuestion, ViewRepository, type ViewRows } from '../persistence/view.repository';

const log = Logger.for('calendar.view');
const model = appointmentColumns({ folder: 'a.folder_id', calendarUser: '$2' });

/** Request of a handler for a view. */
export interface ViewRequest extends Omit<ViewQuestion, 'now' | 'range' | 'columns'> {
  readonly range?: Range;
  /** As the client names them, aliases included. */
  readonly columns: readonly string[];
  readonly sort?: string;
  readonly order?: string;
  /** One row per series instead of its occurrences. */
  readonly masters: boolean;
}

/** A view before its rows are put in order. */
export interface View {
  readonly found: ViewRows;
  readonly series: readonly EncodedRow[];
  /** Number of rows. With more than were asked for some may be missing. */
  readonly count: number;
  /** Newest stamp of the rows; 0 without any. */
  readonly newest: number;
  /** Series of the answer that have no row in the range. */
  readonly outside: readonly ViewSeries[];
  /** The rows as one JSON array, all or those from one number to another. */
  text(from?: number, to?: number): Promise<string>;
  /** All rows in the usual order as one JSON array, with elements of JSON behind them. */
  json(more: string): Promise<JsonText>;
}

/** Reads views of calendars: one statement, series expanded here. */
@Injectable()
export class AppointmentView {
  constructor(
    private readonly views: ViewRepository,
    private readonly clock: Clock,
    private readonly config: CalendarConfig,
  ) {}

  /**
   * FLD-0008, FLD-0003 and APP-0062 for a folder that does not exist, is not visible, or must not be read; CAL-5072 when the
   * series cost more steps than a request may take.
   */
  async read(db: Reader, user: UserPrincipal, request: ViewRequest): Promise<View> {
    const asked = expandedColumns(request.columns);
    const order = sortOrder(request);
    const sort = order && sortColumn(order);
    // A column that is only sorted by goes along at the end and is cut off again.
    const columns = sort && !asked.includes(sort) ? [...asked, sort] : asked;
    const found = await this.views.rows(db, user, { ...request, columns, now: this.clock.now() });
    if (!found) throw FolderErrors.notFound(request.folderId);
    if (request.folderId !== undefined) requireReadable(found, user, request.folderId);
    // Its statement shows what the user may read: of the folder, or of all that he sees.
    recordCheck(APPOINTMENT_RIGHTS.read);

    const { range, zone, masters, maxRows } = request;
    const plan = resolveRowTemplate(columns);
    const budget = new ExpansionBudget(this.config.maxExpansionSteps);
    const view = { range, zone, plan, masters, limit: maxRows, budget };
    const expanded = await expand(found.series ?? [], view, request.shape.earliest);
    const count = found.count + expanded.rows.length;
    return {
      found,
      series: expanded.rows,
      count,
      newest: Math.max(found.newest, expanded.newest),
      outside: expanded.outside,
      text: async (from = 0, to = Infinity) => {
        const all = await mergeInTurns(found, expanded.rows);
        const text = from === 0 && count <= to ? all : rowsBetween(all, from, to);
        return sort ? sortedRows(text, columns, asked.length, sort, order.descending) : text;
      },
      json: (more) => toJson(found, expanded.rows, more),
    };
  }
}

/** One JSON array of all rows; others have their turn meanwhile. */
async function mergeInTurns(found: ViewRows, series: readonly EncodedRow[]): Promise<string> {
  if (series.length === 0) return found.rows;
  const rows: string[] = [];
  await mergeInto((row) => rows.push(row), found, series);
  return `[${rows.join(',')}]`;
}

/** The same with elements of JSON behind the rows, encoded row by row: there may be 50,000. */
async function toJson(found: ViewRows, series: readonly EncodedRow[], more: string): Promise<JsonText> {
  if (series.length === 0) return jsonText(appendElements(found.rows, more));
  const json = new TextPieces();
  let opening = '[';
  await mergeInto(
    (row) => {
      json.add(opening);
      json.add(row);
      opening = ',';
    },
    found,
    series,
  );
  json.add(more === '' ? ']' : `,${more}]`);
  return json.toJson();
}

/** A JSON array with more elements. */
const appendElements = (list: string, more: string): string =>
  more === '' ? list : list === '[]' ? `[${more}]` : `${list.slice(0, -1)},${more}]`;

/** Goes through all rows in the usual order; others have their turn meanwhile. */
async function mergeInto(add: (row: string) => void, found: ViewRows, series: readonly EncodedRow[]): Promise<void> {
  for (const row of mergeRows(found, await sortInSlices(series, byStart))) {
    add(row);
    if (isTurnOver()) await yieldToEventLoop();
  }
}

async function expand(
  records: readonly SeriesRecord[],
  view: SeriesView,
  earliest = false,
): Promise<{ rows: EncodedRow[]; newest: number; outside: ViewSeries[] }> {
  let rows: EncodedRow[] = [];
  const outside: ViewSeries[] = [];
  let newest = 0;
  for (const record of records) {
    if (isTurnOver()) await yieldToEventLoop();
    const series = viewSeries(record);
    const own = rowsOf(series, view);
    if (view.budget.isSpent) throw CalendarErrors.tooMany(view.budget.maxSteps);
    if (own.length === 0) outside.push(series);
    else newest = Math.max(newest, series.lastModified);
    for (const row of own) rows.push(row);
    if (rows.length <= view.limit) continue;
    if (!earliest) break;
    if (rows.length > 4 * view.limit) rows = rows.sort(byStart).slice(0, view.limit);
  }
  return { rows, newest, outside };
}

function rowsOf(series: ViewSeries, view: SeriesView): EncodedRow[] {
  try {
    return seriesRows(series, view);
  } catch (error) {
    // One hostile rule must not hide the rest of the calendar.
    if (!(error instanceof RecurrenceError)) throw error;
    log.warn({ appointment: series.id, reason: error.message }, 'series left out');
    return [];
  }
}

function requireReadable(found: ViewRows, user: UserPrincipal, folderId: number): void {
  const rights = parseRights(effectiveRights(found.granted!, { type: found.type!, owner: found.owner! }, user));
  if (rights.folder === 0) throw FolderErrors.notVisible(folderId, user.userId);
  if (rights.read === 0) throw AppointmentErrors.notReadable(folderId);
}

/** The column that rows are sorted by; undefined for the usual order. @throws SVL-0010 for unknown ones */
export function sortColumn({ column: sort, descending }: SortOrder): string | undefined {
  const field = /^\d+$/.test(sort) ? fieldOfColumn(AppointmentData, Number(sort)) : nameOf(sort);
  if (!field) throw RequestErrors.badParameter('sort', sort);
  const usual = field.property === 'start_date' && !descending;
  return usual ? undefined : sort;
}

function nameOf(name: string): { readonly property: string } | undefined {
  try {
    return model.field(name);
  } catch {
    return undefined;
  }
}
