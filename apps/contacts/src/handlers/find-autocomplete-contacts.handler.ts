import { findContacts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactFinder } from '../find/contact-finder';

/** `find?action=autocomplete`: the facets by which contacts may be searched. */
@Handles(findContacts.autocompleteContacts)
export class FindAutocompleteContactsHandler implements Handler<typeof findContacts.autocompleteContacts> {
  constructor(private readonly finder: ContactFinder) {}

  handle({ principal, query, body }: CallOf<typeof findContacts.autocompleteContacts>) {
    return this.finder.listFacets(principal, query, body);
  }
}
