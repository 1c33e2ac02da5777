import { RequestErrors } from './edge.errors';

/** The order of rows that a request asks for. */
export interface SortOrder {
  /** Number or name of the column. */
  readonly column: string;
  readonly descending: boolean;
}

/** The order a request asks for, ascending without `order`; undefined when it leaves it to the server. SVL-0002 for `order` alone. */
export function sortOrder({ sort, order }: { readonly sort?: string; readonly order?: string }): SortOrder | undefined {
  if (!sort && !order) return undefined;
  if (!sort) throw RequestErrors.missingParameter('sort');
  return { column: sort, descending: order?.toLowerCase() === 'desc' };
}
