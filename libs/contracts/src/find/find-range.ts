import { FindErrors } from './find.errors';

/** Times in ms UTC, both ends being part of it; an open end is absent. */
export interface FindRange {
  readonly from?: number;
  readonly to?: number;
}

/** A named range: so many days before now and after it. */
export interface FindPeriod {
  readonly before: number;
  readonly after?: number;
}

const DAY_MS = 86_400_000;

/** Named ranges of past times. */
export const PAST_PERIODS: Readonly<Record<string, FindPeriod>> = {
  last_week: { before: 7 },
  last_month: { before: 30 },
  last_year: { before: 365 },
};

/** Parses a named range, or a custom one: `[from TO to]`, `{from TO to}` without its ends, `*` for an open end. @throws FIND-0004 */
export function parseFindRange(query: string, now: number, periods: Readonly<Record<string, FindPeriod>>): FindRange {
  if (Object.hasOwn(periods, query)) {
    const { before, after } = periods[query]!;
    return { from: now - before * DAY_MS, ...(after !== undefined && { to: now + after * DAY_MS }) };
  }
  const found = /^(?:\[(-?\d{1,15}|\*) TO (-?\d{1,15}|\*)\]|\{(-?\d{1,15}|\*) TO (-?\d{1,15}|\*)\})$/.exec(query);
  if (!found) throw FindErrors.badQuery(query.slice(0, 100));
  const [, first, last, after = '*', before = '*'] = found;
  const toEnd = (inclusive: string | undefined, exclusive: string, step: number): number | undefined => {
    if (inclusive !== undefined) return inclusive === '*' ? undefined : Number(inclusive);
    return exclusive === '*' ? undefined : Number(exclusive) + step;
  };
  const [from, to] = [toEnd(first, after, 1), toEnd(last, before, -1)];
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
