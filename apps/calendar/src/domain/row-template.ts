import { AppointmentData, fieldOfColumn, fieldsOf } from '@groupware/contracts';

/** Which cells of a row of a series are the same in all of them, and which are worked out here. */
export interface RowTemplate {
  /** The row from left to right: cells that Postgres wrote, or one property. */
  readonly parts: readonly RowPart[];
  /** Runs of columns that Postgres writes, one JSON array each. */
  readonly written: readonly (readonly string[])[];
  /** The number of an occurrence is asked for. */
  readonly numbered: boolean;
  /** The days of changed or deleted occurrences are asked for. */
  readonly dated: boolean;
}

/** A run of written cells by its number, a property of the occurrence, or one of the rule. */
export type RowPart =
  | { readonly kind: 'written'; readonly run: number }
  | { readonly kind: 'start' | 'end' | 'position' | 'day' }
  | { readonly kind: 'rule'; readonly property: string };

const OCCURRENCE: Readonly<Record<string, 'start' | 'end' | 'position' | 'day'>> = {
  start_date: 'start',
  end_date: 'end',
  recurrence_position: 'position',
  recurrence_date_position: 'day',
};
const EXCEPTIONS = new Set(['change_exceptions', 'delete_exceptions']);
const RULE = new Set([
  ...EXCEPTIONS,
  'recurrence_type',
  'interval',
  'days',
  'day_in_month',
  'month',
  'until',
  'occurrences',
  'recurrence_start',
]);

/** Properties by column number or name, as the columns of a request name them. */
const propertyOf = (column: string): string | undefined =>
  (/^\d+$/.test(column) ? fieldOfColumn(AppointmentData, Number(column)) : undefined)?.property ??
  fieldsOf(AppointmentData).find((field) => field.wireName === column)?.property;

const plans = new Map<string, RowTemplate>();
const MAX_PLANS = 1_000;

/** How rows of series with these columns are written. */
export function resolveRowTemplate(columns: readonly string[]): RowTemplate {
  const key = columns.join();
  let plan = plans.get(key);
  if (!plan) {
    plan = createRowTemplate(columns);
    if (plans.size >= MAX_PLANS) plans.clear();
    plans.set(key, plan);
  }
  return plan;
}

function createRowTemplate(columns: readonly string[]): RowTemplate {
  const parts: RowPart[] = [];
  const written: string[][] = [];
  for (const column of columns) {
    const property = propertyOf(column) ?? '';
    const kind = Object.hasOwn(OCCURRENCE, property) ? OCCURRENCE[property] : undefined;
    if (kind) parts.push({ kind });
    else if (RULE.has(property)) parts.push({ kind: 'rule', property });
    else if (parts.at(-1)?.kind === 'written') written.at(-1)!.push(column);
    else {
      parts.push({ kind: 'written', run: written.length });
      written.push([column]);
    }
  }
  return {
    parts,
    written,
    numbered: parts.some(({ kind }) => kind === 'position'),
    dated: parts.some((part) => part.kind === 'rule' && EXCEPTIONS.has(part.property)),
  };
}
