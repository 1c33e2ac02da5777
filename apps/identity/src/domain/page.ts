import { MAX_INT, RestErrors, type PageQuery } from '@groupware/contracts';
import { matchesSearchWord } from './search-pattern';

/** Default page size. */
export const DEFAULT_LIMIT = 100;

/** Cursor and size of a page; one more row is read to detect a next page. */
export interface PageWindow {
  readonly q?: string;
  readonly after: number;
  readonly limit: number;
}

/** Parses the window of a query. Cursors are the id of the last item. @throws REST-0400 for malformed cursors */
export function parsePageWindow(query: PageQuery, first = 0): PageWindow {
  if (query.after !== undefined && !(/^-?\d{1,10}$/.test(query.after) && Math.abs(Number(query.after)) <= MAX_INT))
    throw RestErrors.invalid('after');
  return {
    ...(query.q === undefined ? {} : { q: query.q }),
    after: query.after === undefined ? first : Number(query.after),
    limit: (query.limit ?? DEFAULT_LIMIT) + 1,
  };
}

/** Selects the requested fields of items. */
export function selectFields<T extends object>(items: readonly T[], { fields }: Pick<PageQuery, 'fields'>): T[] {
  if (!fields?.length) return [...items];
  return items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name))) as T);
}

/** Converts rows to a page: items with the requested fields, and the cursor of the next page. */
export function toPage<R extends { id: number }, T extends { id: number }>(
  rows: readonly R[],
  query: PageQuery,
  view: (row: R) => T,
): { items: T[]; next?: string } {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const shown = rows.slice(0, limit);
  const items = selectFields(shown.map(view), query);
  return { items, ...(rows.length > limit ? { next: String(shown.at(-1)!.id) } : {}) };
}

/**
 * Paginates a short list in memory; `key` identifies an item and is its cursor, `q` searches all texts and numbers.
 * @throws REST-0400 for malformed cursors
 */
export function paginateList<T extends object>(
  all: readonly T[],
  query: PageQuery,
  key: keyof T & string,
): { items: T[]; next?: string } {
  const keyOf = (item: T): string => String(item[key]);
  const first = query.after === undefined ? 0 : all.findIndex((item) => keyOf(item) === query.after) + 1;
  if (first === 0 && query.after !== undefined) throw RestErrors.invalid('after');
  const { q } = query;
  const matches = (item: T): boolean =>
    q === undefined ||
    Object.values(item).some((value) => typeof value !== 'object' && matchesSearchWord(String(value), q));
  const found = all.slice(first).filter(matches);
  const shown = found.slice(0, query.limit ?? DEFAULT_LIMIT);
  const items = selectFields(shown, query);
  return { items, ...(found.length > shown.length ? { next: keyOf(shown.at(-1)!) } : {}) };
}
