import { contacts, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toDaySearch } from '../search/day-search';
import { ContactView } from '../views/contact-view';

/** `birthdays`: contacts with a birthday on some days of any year. */
@Handles(contacts.birthdays)
export class BirthdaysHandler implements Handler<typeof contacts.birthdays> {
  constructor(private readonly view: ContactView) {}

  handle({ principal, query }: CallOf<typeof contacts.birthdays>) {
    return this.view.search(principal, query, toDaySearch('birthday', query, principal.locale));
  }
}
