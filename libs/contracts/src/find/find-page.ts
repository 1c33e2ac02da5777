import type { FindPage } from './find.models';

/** A page of results: what is found in all is not counted. */
export const toFindPage = (start: number, results: FindPage['results']): FindPage => ({
  num_found: -1,
  start,
  size: results.length,
  results,
});

/** Rows as objects of the named fields, those without value left out. */
export const toFindResults = (names: readonly string[], rows: readonly (readonly unknown[])[]): FindPage['results'] =>
  rows.map((row) => {
    const object: Record<string, unknown> = {};
    for (const [index, cell] of row.entries()) if (cell !== null) object[names[index]!] = cell;
    return object;
  });
