import { findMails, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailFinder } from '../find/mail-finder';

/** `find?action=query`: mails by the facets chosen. */
@Handles(findMails.queryMails)
export class FindQueryMailsHandler implements Handler<typeof findMails.queryMails> {
  constructor(private readonly finder: MailFinder) {}

  handle(call: CallOf<typeof findMails.queryMails>) {
    return this.finder.listPage(call, call.query, call.body);
  }
}
