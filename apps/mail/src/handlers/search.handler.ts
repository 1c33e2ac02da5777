import { mail, MailErrors, MIN_MAIL_SEARCH, type CallOf, type Handler } from '@groupware/contracts';
import type { ImapToken } from '@groupware/mail-access';
import { Handles, Properties } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder } from '../domain/mail-folder';
import {
  compileDate,
  compilePatterns,
  compileTerm,
  type DateCompiler,
  type DateComparison,
  type SearchLimits,
} from '../domain/search-term';
import { parseWindow } from '../domain/window';
import { resolveDates } from '../listing/exact-dates';
import { ALL_MAILS, MailListing } from '../listing/mail-listing';
import { parseOrder } from '../listing/mail-order';
import { resolveMailColumns } from '../messages/mail-columns';
import { MailRows } from '../messages/mail-rows';
import { toFilter } from './all.handler';

/** `search`: mails of a folder that a term or one of several patterns matches. */
@Handles(mail.search)
export class SearchHandler implements Handler<typeof mail.search> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly listing: MailListing,
    private readonly rows: MailRows,
    private readonly properties: Properties,
  ) {}

  async handle(call: CallOf<typeof mail.search>): Promise<unknown[][]> {
    const { query, principal } = call;
    const columns = resolveMailColumns(query);
    const order = parseOrder(query);
    const window = parseWindow(query);
    const limits = { minCharacters: await this.properties.get(MIN_MAIL_SEARCH, principal) };
    const comparisons: DateComparison[] = [];
    const term = compile(call.body, limits, (comparison) => {
      comparisons.push(comparison);
      return compileDate(comparison);
    });
    const most = await this.rows.getMaxRows(call);
    return this.mailboxes.useFolder(call, parseMailFolder(query.folder), { repeatable: true }, async (open) => {
      if (!term) return [];
      const filter = toFilter(query);
      const isExact = comparisons.length === 0;
      const exact = isExact ? term : compile(call.body, limits, await resolveDates(open.session, comparisons))!;
      const criteria = filter === ALL_MAILS ? exact : [...filter, ...exact];
      const mails = await this.listing.listPage(principal, open.session, order, criteria, window, most);
      return this.rows.listRows(call, open, mails, columns, query.timezone);
    });
  }
}

/** The criteria of a body; undefined where no mail is wanted. @throws MSG-0003, MSG-0068 */
function compile(body: unknown, limits: SearchLimits, compileExactly: DateCompiler): readonly ImapToken[] | undefined {
  if (Array.isArray(body)) return compilePatterns(body, limits);
  const { filter } = (body ?? {}) as { filter?: unknown };
  if (filter === undefined || filter === null) throw MailErrors.badSearch('there is no filter');
  return compileTerm(filter, limits, compileExactly);
}
