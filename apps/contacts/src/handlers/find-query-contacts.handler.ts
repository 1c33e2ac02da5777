import { findContacts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ContactFinder } from '../find/contact-finder';

/** `find?action=query`: contacts by the facets chosen. */
@Handles(findContacts.queryContacts)
export class FindQueryContactsHandler implements Handler<typeof findContacts.queryContacts> {
  constructor(private readonly finder: ContactFinder) {}

  handle({ principal, query, body }: CallOf<typeof findContacts.queryContacts>) {
    return this.finder.listPage(principal, query, body);
  }
}
