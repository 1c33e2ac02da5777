import { findEvents, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventFacetFinder } from '../find/event-facet-finder';

/** `find?action=query`: events by the facets chosen. */
@Handles(findEvents.queryEvents)
export class FindQueryEventsHandler implements Handler<typeof findEvents.queryEvents> {
  constructor(private readonly finder: EventFacetFinder) {}

  handle({ principal, query, body }: CallOf<typeof findEvents.queryEvents>) {
    return this.finder.listPage(principal, query, body);
  }
}
