import { AppointmentData, fieldOfColumn, fieldsOf } from '@groupware/contracts';
import { firstOccurrence, type Occurrence, occurrencesBetween, type ZoneOffsets } from '@groupware/recurrence';
import type { Appointment } from './appointment';
import { seriesData } from './appointment-wire';
import { dayOf } from './local-days';
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
  readonly range: Range;
  readonly zone: ZoneOffsets;
  readonly columns: readonly string[];
  /** One row per series instead of its occurrences. */
  readonly masters: boolean;
  /** Stop after so many rows. */
  readonly limit: number;
}

/** The rows of a series in a range. */
export function seriesRows(series: SeriesToExpand, view: SeriesView): RowText[] {
  const { range, columns, zone, masters } = view;
  const [from, to] = series.floating ? [range.localFromMs, range.localToMs] : [range.fromMs, range.toMs];
  const properties = columns.map(propertyOf);
  const recurring = seriesOf(series);
  // One more than wanted on both sides: the engine answers what touches the range.
  const touching = occurrencesBetween(recurring, from, to, {
    positions: !masters && properties.includes('recurrence_position'),
    limit: masters && range.mode === 'overlap' ? 1 : view.limit + 2,
  });
  const found = touching.filter(({ startMs, endMs }) => isInRange(range, startMs, endMs, series.floating));
  if (found.length === 0) return [];
  const shift = (ms: number): number => (series.floating ? ms : zone.instantToLocal(ms));
  const cells = cellTexts(series, properties);
  const rows = masters ? [firstOccurrence(recurring) ?? found[0]!] : found;
  return rows.map((occurrence) => ({
    start: shift(occurrence.startMs),
    id: series.id,
    json: rowText(cells, properties, occurrence, shift, masters),
  }));
}

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
