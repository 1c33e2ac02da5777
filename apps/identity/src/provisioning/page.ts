import { MAX_INT, RestErrors, type PageQuery } from '@groupware/contracts';
import { hasWord } from '../domain/search-pattern';

/** Items of a page whose length nobody names. */
export const DEFAULT_LIMIT = 100;

/** Where a page begins and how long it is; one more row is asked, to know whether there is a next page. */
export interface PageWindow {
  readonly q?: string;
  readonly after: number;
  readonly limit: number;
}

/** The window a query asks for. Cursors are the id of the last item. @throws REST-0400 for others */
export function pageWindow(query: PageQuery, first = 0): PageWindow {
  if (query.after !== undefined && !(/^-?\d{1,10}$/.test(query.after) && Math.abs(Number(query.after)) <= MAX_INT))
    throw RestErrors.invalid('after');
  return {
    ...(query.q === undefined ? {} : { q: query.q }),
    after: query.after === undefined ? first : Number(query.after),
    limit: (query.limit ?? DEFAULT_LIMIT) + 1,
  };
}

/** The items with the fields asked for. */
export function withFields<T extends object>(items: readonly T[], { fields }: Pick<PageQuery, 'fields'>): T[] {
  if (!fields?.length) return [...items];
  return items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name))) as T);
}

/** The page of the rows: items with the fields asked for, and the cursor of the next page. */
export function page<R extends { id: number }, T extends { id: number }>(
  rows: readonly R[],
  query: PageQuery,
  view: (row: R) => T,
): { items: T[]; next?: string } {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const shown = rows.slice(0, limit);
  const items = withFields(shown.map(view), query);
  return { items, ...(rows.length > limit ? { next: String(shown.at(-1)!.id) } : {}) };
}

/**
 * The page of a short list that is known as a whole; `key` names an item and is its cursor, `q` looks at all texts and numbers.
 * @throws REST-0400 for a cursor that is none
 */
export function pageOfAll<T extends object>(
  all: readonly T[],
  query: PageQuery,
  key: keyof T & string,
): { items: T[]; next?: string } {
  const keyOf = (item: T): string => String(item[key]);
  const first = query.after === undefined ? 0 : all.findIndex((item) => keyOf(item) === query.after) + 1;
  if (first === 0 && query.after !== undefined) throw RestErrors.invalid('after');
  const { q } = query;
  const matches = (item: T): boolean =>
    q === undefined || Object.values(item).some((value) => typeof value !== 'object' && hasWord(String(value), q));
  const found = all.slice(first).filter(matches);
  const shown = found.slice(0, query.limit ?? DEFAULT_LIMIT);
  const items = withFields(shown, query);
  return { items, ...(found.length > shown.length ? { next: keyOf(shown.at(-1)!) } : {}) };
}
