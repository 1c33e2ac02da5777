import type { HaloQuery, UserRequest } from '@groupware/contracts';
import type { ImapToken } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { PRIMARY_ACCOUNT } from '../domain/mail-folder';
import { compileTerm } from '../domain/search-term';
import { findStandardFolder } from '../folders/standard-folders';
import { MailListing } from '../listing/mail-listing';
import { parseOrder } from '../listing/mail-order';
import { resolveMailColumns } from '../messages/mail-columns';
import { MailRows } from '../messages/mail-rows';

const DEFAULT_ROWS = 10;
const RECEIVED = '610';

/** Finds mails from and to a person, in the inbox and among those that were sent. */
@Injectable()
export class PersonMails {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly listing: MailListing,
    private readonly rows: MailRows,
  ) {}

  /** Rows of mails; those that came last first unless asked otherwise. @throws MSG-0030, MSG-0031 */
  async findMails(
    request: UserRequest,
    {
      columns,
      sort,
      order,
      limit = DEFAULT_ROWS,
      timezone,
    }: Pick<HaloQuery, 'columns' | 'sort' | 'order' | 'limit' | 'timezone'>,
    addresses: readonly string[],
  ): Promise<unknown[][]> {
    if (addresses.length === 0) return [];
    const wanted = parseOrder(sort ? { sort, order } : { sort: RECEIVED, order: order ?? 'desc' });
    const most = Math.min(limit, await this.rows.getMaxRows(request));
    // The time of arrival brings the mails of both folders into one order.
    const resolved = resolveMailColumns({ columns: [...columns, RECEIVED] });
    const term = compileTerm(toTerm(addresses), { minCharacters: 0 });
    const found: unknown[][] = [];
    for (const path of await this.listFolders(request))
      found.push(...(await this.findIn(request, path, term, { wanted, most, resolved, timezone })));
    if (wanted.column === Number(RECEIVED)) {
      const sign = wanted.descending ? -1 : 1;
      found.sort((a, b) => sign * (Number(a.at(-1) ?? 0) - Number(b.at(-1) ?? 0)));
    }
    return found.slice(0, most).map((row) => row.slice(0, -1));
  }

  private findIn(
    request: UserRequest,
    path: string,
    term: readonly ImapToken[],
    {
      wanted,
      most,
      resolved,
      timezone,
    }: {
      readonly wanted: ReturnType<typeof parseOrder>;
      readonly most: number;
      readonly resolved: ReturnType<typeof resolveMailColumns>;
      readonly timezone: string | undefined;
    },
  ): Promise<unknown[][]> {
    const folder = { account: PRIMARY_ACCOUNT, path };
    return this.mailboxes.useFolder(request, folder, { repeatable: true }, async (open) => {
      const mails = await this.listing.listPage(request.principal, open.session, wanted, term, undefined, most);
      return this.rows.listRows(request, open, mails, resolved, timezone);
    });
  }

  private listFolders(request: UserRequest): Promise<readonly string[]> {
    return this.mailboxes.useAccount(request, PRIMARY_ACCOUNT, { repeatable: true }, async (session, account) => {
      const sent = findStandardFolder(await session.listMailboxes(false), account, 'sent');
      const isThere = sent && !sent.flags.has('\\NonExistent') && !sent.flags.has('\\Noselect');
      return isThere ? ['INBOX', sent.path] : ['INBOX'];
    });
  }
}

const toTerm = (addresses: readonly string[]): unknown => [
  'or',
  ...addresses.flatMap((address) => ['from', 'to', 'cc'].map((field) => ['=', { field }, address])),
];
