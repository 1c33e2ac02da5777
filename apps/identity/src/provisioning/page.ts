import { RestErrors, type PageQuery } from '@groupware/contracts';

const DEFAULT_LIMIT = 100;

/** Where a page begins and how long it is; one more row is asked, to know whether there is a next page. */
export interface PageWindow {
  readonly q?: string;
  readonly after: number;
  readonly limit: number;
}

/** The window a query asks for. Cursors are the id of the last item. @throws REST-0400 for others */
export function pageWindow(query: PageQuery, first = 0): PageWindow {
  if (query.after !== undefined && !/^-?\d{1,10}$/.test(query.after)) throw RestErrors.invalid('after');
  return {
    ...(query.q === undefined ? {} : { q: query.q }),
    after: query.after === undefined ? first : Number(query.after),
    limit: (query.limit ?? DEFAULT_LIMIT) + 1,
  };
}

/** The page of the rows: items with the fields asked for, and the cursor of the next page. */
export function page<R extends { id: number }, T extends { id: number }>(
  rows: readonly R[],
  query: PageQuery,
  view: (row: R) => T,
): { items: T[]; next?: string } {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const shown = rows.slice(0, limit);
  const fields = query.fields;
  const items = shown.map(view).map((item) => {
    if (!fields?.length) return item;
    return Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name))) as T;
  });
  return { items, ...(rows.length > limit ? { next: String(shown.at(-1)!.id) } : {}) };
}
