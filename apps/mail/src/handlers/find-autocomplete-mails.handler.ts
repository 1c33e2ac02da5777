import { findMails, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailFinder } from '../find/mail-finder';

/** `find?action=autocomplete`: the facets by which mails may be searched. */
@Handles(findMails.autocompleteMails)
export class FindAutocompleteMailsHandler implements Handler<typeof findMails.autocompleteMails> {
  constructor(private readonly finder: MailFinder) {}

  handle(call: CallOf<typeof findMails.autocompleteMails>) {
    return this.finder.listFacets(call, call.query, call.body);
  }
}
