import { AppointmentData, fieldOfColumn, fieldsOf } from '@groupware/contracts';
import {
  firstOccurrence,
  type Occurrence,
  occurrencesBetween,
  type Series,
  type ZoneOffsets,
} from '@groupware/recurrence';
import { type Appointment, ENDLESS } from './appointment';
import { seriesData } from './appointment-wire';
import { DAY_MS, dayOf } from './local-days';
import { isInRange, type Range } from './range';
import { type Recurring, seriesOf } from './series';

/** A series to expand, with the cells of its row. */
export interface SeriesToExpand extends Recurring {
  readonly id: number;
  readonly cells: readonly unknown[];
}

/** One row of the answer: its JSON, and what it is sorted by. */
export interface RowText {
  readonly start: number;
  readonly id: number;
  readonly json: string;
}

/** Properties by column number or name, as the columns of a request name them. */
const propertyOf = (column: string): string | undefined =>
  (/^\d+$/.test(column) ? fieldOfColumn(AppointmentData, Number(column)) : undefined)?.property ??
  fieldsOf(AppointmentData).find((field) => field.wireName === column)?.property;

const RULE_PROPERTIES = new Set([
  'recurrence_type',
  'interval',
  'days',
  'day_in_month',
  'month',
  'until',
  'occurrences',
  'change_exceptions',
  'delete_exceptions',
  'recurrence_start',
]);

/** How occurrences of series become rows. */
export interface SeriesView {
  /** Without a range the series is in the view as a whole. */
  readonly range: Range | undefined;
  readonly zone: ZoneOffsets;
  readonly columns: readonly string[];
  /** One row per series, instead of its occurrences in the range or of its first one. */
  readonly masters: boolean;
  /** Stop after so many rows. */
  readonly limit: number;
}

/** The rows of a series in a view. */
export function seriesRows(series: SeriesToExpand, view: SeriesView): RowText[] {
  const { columns, zone, masters } = view;
  const properties = columns.map(propertyOf);
  const recurring = seriesOf(series);
  const found = view.range
    ? inRange(series, recurring, view, view.range, properties.includes('recurrence_position'))
    : [masters ? wholeSeries(series, recurring) : firstShown(series, recurring)];
  if (found.length === 0) return [];
  const shift = (ms: number): number => (series.floating ? ms : zone.instantToLocal(ms));
  const cells = cellTexts(series, properties);
  const rows = masters ? [wholeSeries(series, recurring)] : found;
  return rows.map((occurrence) => ({
    start: shift(occurrence.startMs),
    id: series.id,
    json: rowText(cells, properties, occurrence, shift, masters),
  }));
}

function inRange(
  series: Recurring,
  recurring: Series,
  { masters, limit }: SeriesView,
  range: Range,
  numbered: boolean,
): Occurrence[] {
  const [from, to] = series.floating ? [range.localFromMs, range.localToMs] : [range.fromMs, range.toMs];
  // One more than wanted on both sides: the engine answers what touches the range.
  const touching = occurrencesBetween(recurring, from, to, {
    positions: !masters && numbered,
    limit: masters && range.mode === 'overlap' ? 1 : limit + 2,
  });
  return touching.filter(({ startMs, endMs }) => isInRange(range, startMs, endMs, series.floating));
}

/** A series as one row: with the times of its first occurrence. */
const wholeSeries = (series: Recurring, recurring: Series): Occurrence =>
  firstOccurrence(recurring) ?? {
    startMs: series.startMs,
    endMs: series.endMs,
    localMs: recurring.startLocalMs,
    position: 1,
  };

/** The first occurrence that is neither deleted nor changed; the first of all when none is left. */
export const firstShown = (series: Recurring, recurring: Series): Occurrence =>
  occurrencesBetween(recurring, series.startMs - DAY_MS, ENDLESS, { positions: true, limit: 1 })[0] ??
  wholeSeries(series, recurring);

function cellTexts(series: SeriesToExpand, properties: readonly (string | undefined)[]): string[] {
  const rule = properties.some((property) => property && RULE_PROPERTIES.has(property))
    ? (seriesData(series as unknown as Appointment) as Record<string, unknown>)
    : {};
  return series.cells.map((cell, index) => {
    const property = properties[index];
    return JSON.stringify(property && RULE_PROPERTIES.has(property) ? (rule[property] ?? null) : cell);
  });
}

function rowText(
  cells: readonly string[],
  properties: readonly (string | undefined)[],
  occurrence: Occurrence,
  shift: (ms: number) => number,
  master: boolean,
): string {
  let text = '[';
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) text += ',';
    const property = properties[index];
    if (property === 'start_date') text += shift(occurrence.startMs);
    else if (property === 'end_date') text += shift(occurrence.endMs);
    else if (property === 'recurrence_position') text += master ? 'null' : occurrence.position;
    else if (property === 'recurrence_date_position') text += master ? 'null' : dayOf(occurrence.localMs);
    else text += cells[index];
  }
  return `${text}]`;
}
