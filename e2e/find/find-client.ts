import type { Envelope } from '../client';
import type { TestUser } from '../fixtures';

/** A chosen value of a facet. */
export interface ChosenFacet {
  readonly facet: string;
  readonly value?: string;
  readonly filter?: unknown;
}

/** A value with a filter. */
export const option = (facet: string, field: string, value: string): ChosenFacet => ({
  facet,
  value,
  filter: { fields: [field], queries: [value] },
});

/** Texts in a field of a simple facet. */
export const words = (facet: string, field: string, ...queries: string[]): ChosenFacet => ({
  facet,
  value: facet,
  filter: { fields: [field], queries },
});

/** A value without filter. */
export const bare = (facet: string, value: string): ChosenFacet => ({ facet, value, filter: null });

/** The answer of `query`. */
export const query = (user: TestUser, module: string, facets: unknown, more: object = {}, body: object = {}) =>
  user.put<any>('find', 'query', { module, ...more }, { facets, ...body });

/** The answer of `autocomplete`. */
export const complete = (
  user: TestUser,
  module: string,
  prefix: string,
  facets: readonly ChosenFacet[] = [],
  more: object = {},
) => user.put<any>('find', 'autocomplete', { module, ...more }, { prefix, facets });

/** A field of each result. */
export async function found(answer: Promise<Envelope<any>>, name: string): Promise<unknown[]> {
  const { data, error } = await answer;
  if (!data) throw new Error(error);
  expect(data.size).toBe(data.results.length);
  return data.results.map((result: any) => result[name]);
}

/** Facets that are offered, by id. */
export async function facetsOf(answer: Promise<Envelope<any>>): Promise<Map<string, any>> {
  const { data, error } = await answer;
  if (!data) throw new Error(error);
  return new Map(data.facets.map((facet: any) => [facet.id, facet]));
}
