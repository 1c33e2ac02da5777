import { Inject, type Type } from '@nestjs/common';
import type {
  CallOf,
  FindAutocompleteBody,
  FindAutocompleteQuery,
  FindFacets,
  FindPage,
  FindQuery,
  findContacts,
  FindQueryBody,
  UserPrincipal,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';

type Autocomplete = (typeof findContacts)['autocompleteContacts'];
type Query = (typeof findContacts)['queryContacts'];

/** Searches the objects of a module by facets. */
export interface FacetFinder {
  /** The facets that are left to choose. */
  listFacets(user: UserPrincipal, query: FindAutocompleteQuery, body: FindAutocompleteBody): Promise<FindFacets>;
  /** A page of what the chosen facets find. */
  listPage(user: UserPrincipal, query: FindQuery, body: FindQueryBody): Promise<FindPage>;
}

/** Handlers of `find` for a module: pass them to `defineService({ handlers })`. */
export function findHandlers(autocomplete: Autocomplete, query: Query, finder: Type<FacetFinder>): Type[] {
  @Handles(autocomplete)
  class FindAutocompleteHandler {
    constructor(@Inject(finder) private readonly facets: FacetFinder) {}

    handle({ principal, query: limits, body }: CallOf<Autocomplete>): Promise<FindFacets> {
      return this.facets.listFacets(principal, limits, body);
    }
  }
  @Handles(query)
  class FindQueryHandler {
    constructor(@Inject(finder) private readonly facets: FacetFinder) {}

    handle({ principal, query: columns, body }: CallOf<Query>): Promise<FindPage> {
      return this.facets.listPage(principal, columns, body);
    }
  }
  return [FindAutocompleteHandler, FindQueryHandler];
}
