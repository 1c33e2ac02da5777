import { contacts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toDaySearch } from '../search/day-search';
import { ContactView } from '../views/contact-view';

/** `anniversaries`: contacts with an anniversary on some days of any year. */
@Handles(contacts.anniversaries)
export class AnniversariesHandler implements Handler<typeof contacts.anniversaries> {
  constructor(private readonly view: ContactView) {}

  handle({ principal, query }: CallOf<typeof contacts.anniversaries>) {
    return this.view.search(principal, query, toDaySearch('anniversary', query, principal.locale));
  }
}
