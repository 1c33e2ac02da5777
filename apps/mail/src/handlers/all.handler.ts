import { mail, type CallOf, type Handler, type MailOrderQuery } from '@groupware/contracts';
import { atom, type ImapToken } from '@groupware/mail-access';
import { Handles } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { MailCategories } from '../categories/mail-categories';
import { parseMailFolder } from '../domain/mail-folder';
import { parseWindow } from '../domain/window';
import { ALL_MAILS, MailListing } from '../listing/mail-listing';
import { parseOrder } from '../listing/mail-order';
import { resolveMailColumns } from '../messages/mail-columns';
import { MailRows } from '../messages/mail-rows';

/** Criteria of the filters of a list. */
export function toFilter({ unseen, deleted }: Pick<MailOrderQuery, 'unseen' | 'deleted'>): readonly ImapToken[] {
  const criteria = [...(unseen ? [atom('UNSEEN')] : []), ...(deleted === false ? [atom('UNDELETED')] : [])];
  return criteria.length > 0 ? criteria : ALL_MAILS;
}

/** `all`: the mails of a folder. */
@Handles(mail.all)
export class AllHandler implements Handler<typeof mail.all> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly listing: MailListing,
    private readonly rows: MailRows,
    private readonly categories: MailCategories,
  ) {}

  async handle(call: CallOf<typeof mail.all>): Promise<unknown[][]> {
    const { query, principal } = call;
    const columns = resolveMailColumns(query);
    const order = parseOrder(query);
    const window = parseWindow(query);
    const most = await this.rows.getMaxRows(call);
    const ofCategory = await this.categories.findCriteria(principal, query.categoryid ?? query.filter);
    const filter = toFilter(query);
    const criteria = ofCategory ? [...filter, ...ofCategory] : filter;
    return this.mailboxes.useFolder(call, parseMailFolder(query.folder), { repeatable: true }, async (open) => {
      const mails = await this.listing.listPage(principal, open.session, order, criteria, window, most);
      return this.rows.listRows(call, open, mails, columns, query.timezone);
    });
  }
}
