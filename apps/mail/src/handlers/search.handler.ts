import { mail, MailErrors, MIN_SEARCH_LENGTH, type CallOf, type Handler } from '@groupware/contracts';
import type { ImapToken } from '@groupware/mail-access';
import { Handles, Properties } from '@groupware/service-kit';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder } from '../domain/mail-folder';
import {
  compilePatterns,
  compileRoughly,
  compileTerm,
  type ComparisonCompiler,
  type SearchLimits,
} from '../domain/search-term';
import { parseWindow } from '../domain/window';
import { compileExactly } from '../listing/exact-terms';
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
    const limits = { minCharacters: await this.properties.get(MIN_SEARCH_LENGTH, principal) };
    const compileBody = (each: ComparisonCompiler) => compile(call.body, limits, each);
    const isEmpty = compileBody(compileRoughly) === undefined;
    const most = await this.rows.getMaxRows(call);
    return this.mailboxes.useFolder(call, parseMailFolder(query.folder), { repeatable: true }, async (open) => {
      if (isEmpty) return [];
      const filter = toFilter(query);
      const term = (await compileExactly(open.session, compileBody))!;
      const criteria = filter === ALL_MAILS ? term : [...filter, ...term];
      const mails = await this.listing.listPage(principal, open.session, order, criteria, window, most);
      return this.rows.listRows(call, open, mails, columns, query.timezone);
    });
  }
}

/** The criteria of a body; undefined where no mail is wanted. @throws MSG-0003, MSG-0068 */
function compile(
  body: unknown,
  limits: SearchLimits,
  compileComparison: ComparisonCompiler,
): readonly ImapToken[] | undefined {
  if (Array.isArray(body)) return compilePatterns(body, limits, compileComparison);
  const { filter } = (body ?? {}) as { filter?: unknown };
  if (filter === undefined || filter === null) throw MailErrors.badSearch('there is no filter');
  return compileTerm(filter, limits, compileComparison);
}
