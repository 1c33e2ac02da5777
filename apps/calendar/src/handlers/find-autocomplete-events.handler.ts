import { findEvents, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventFacetFinder } from '../find/event-facet-finder';

/** `find?action=autocomplete`: the facets by which events may be searched. */
@Handles(findEvents.autocompleteEvents)
export class FindAutocompleteEventsHandler implements Handler<typeof findEvents.autocompleteEvents> {
  constructor(private readonly finder: EventFacetFinder) {}

  handle({ principal, query, body, signal }: CallOf<typeof findEvents.autocompleteEvents>) {
    return this.finder.listFacets(principal, query, body, signal);
  }
}
