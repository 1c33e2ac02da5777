import {
  type ExpansionBudget,
  firstOccurrence,
  type Occurrence,
  occurrencesBetween,
  type Series,
  type StepBudget,
  type ZoneOffsets,
} from '@groupware/recurrence';
import { ENDLESS } from './appointment';
import { DAY_MS, dayOf } from './local-days';
import { isInRange, type Range } from './range';
import type { RowTemplate } from './row-template';
import type { Recurring } from './series';
import type { ViewSeries } from './series-text';

/** One row of the answer: its JSON, and what it is sorted by. */
export interface EncodedRow {
  readonly start: number;
  readonly id: number;
  readonly json: string;
}

/** Options for rows of series. */
export interface SeriesView {
  /** Without a range the series is in the view as a whole. */
  readonly range: Range | undefined;
  readonly zone: ZoneOffsets;
  readonly plan: RowTemplate;
  /** One row per series, instead of its occurrences in the range or of its first one. */
  readonly masters: boolean;
  /** Stop after so many rows. */
  readonly limit: number;
  readonly budget: ExpansionBudget;
}

/** The rows of a series in a view. */
export function seriesRows(text: ViewSeries, view: SeriesView): EncodedRow[] {
  const { zone, masters, budget } = view;
  const { recurring } = text.known;
  // A series of which only exceptions are left is still there as a whole.
  const series = masters ? text.known.withChanges : text.known.series;
  const found = view.range
    ? inRange(recurring, series, view, view.range)
    : [budget.spend((steps) => (masters ? wholeSeries(recurring, series) : firstShown(recurring, series, steps)))];
  if (found.length === 0) return [];
  const write = rowWriter(text, view);
  const rows = masters ? [wholeSeries(recurring, series)] : found;
  return rows.map((occurrence) => ({
    start: recurring.floating ? occurrence.startMs : zone.instantToLocal(occurrence.startMs),
    id: text.id,
    json: write(occurrence),
  }));
}

function inRange(
  recurring: Recurring,
  series: Series,
  { masters, limit, plan, budget }: SeriesView,
  range: Range,
): Occurrence[] {
  const { floating } = recurring;
  const [from, to] = floating ? [range.localFromMs, range.localToMs] : [range.fromMs, range.toMs];
  // One more than wanted on both sides: the engine answers what touches the range.
  const touching = budget.spend((steps) =>
    occurrencesBetween(series, from, to, {
      positions: !masters && plan.numbered,
      limit: masters && range.mode === 'overlap' ? 1 : limit + 2,
      steps,
    }),
  );
  return touching.filter(({ startMs, endMs }) => isInRange(range, startMs, endMs, floating));
}

/** A series as one row: with the times of its first occurrence. */
const wholeSeries = (recurring: Recurring, series: Series): Occurrence =>
  firstOccurrence(series) ?? {
    startMs: recurring.startMs,
    endMs: recurring.endMs,
    localMs: series.startLocalMs,
    position: 1,
  };

/** The first occurrence that is neither deleted nor changed; the first of all when none is left. */
export const firstShown = (recurring: Recurring, series: Series, steps?: StepBudget): Occurrence =>
  occurrencesBetween(series, recurring.startMs - DAY_MS, ENDLESS, { positions: true, limit: 1, steps })[0] ??
  wholeSeries(recurring, series);

/** Writes the JSON of one occurrence after the other: what differs between them, and the texts around it. */
function rowWriter(
  { known, cells }: ViewSeries,
  { plan, zone, masters }: SeriesView,
): (occurrence: Occurrence) => string {
  const shift = (ms: number): number => (known.recurring.floating ? ms : zone.instantToLocal(ms));
  const kinds: ('start' | 'end' | 'position' | 'day')[] = [];
  const around = [''];
  for (const [index, part] of plan.parts.entries()) {
    const comma = index > 0 ? ',' : '';
    if (part.kind === 'written') around[kinds.length] += comma + cells[part.run]!.slice(1, -1);
    else if (part.kind === 'rule') around[kinds.length] += comma + known.json(part.property);
    else {
      around[kinds.length] += comma;
      kinds.push(part.kind);
      around.push('');
    }
  }
  const cell = (kind: (typeof kinds)[number], { startMs, endMs, localMs, position }: Occurrence): string | number => {
    if (kind === 'start') return shift(startMs);
    if (kind === 'end') return shift(endMs);
    if (masters) return 'null';
    return kind === 'position' ? position! : dayOf(localMs);
  };
  return (occurrence) => {
    let text = `[${around[0]}`;
    for (let index = 0; index < kinds.length; index++) text += `${cell(kinds[index]!, occurrence)}${around[index + 1]}`;
    return `${text}]`;
  };
}
