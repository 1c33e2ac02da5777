import { Injectable } from '@nestjs/common';
import {
  ALL_MAILS_FOLDER,
  contacts,
  DEFAULT_FIND_VALUES,
  FIND_IN_MAIL_TEXTS,
  FindErrors,
  listFacets,
  listFindContacts,
  MAX_FIND_RESULTS,
  MIN_SEARCH_LENGTH,
  parseFindPage,
  parseFindRequest,
  toFindPage,
  toFindResults,
  type CommonFacet,
  type FindAutocompleteBody,
  type FindAutocompleteQuery,
  type FindFacets,
  type FindPage,
  type FindQuery,
  type FindQueryBody,
  type FindRequest,
  type UserRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, Properties } from '@groupware/service-kit';
import { Mailboxes, type OpenFolder } from '../accounts/mailboxes';
import { parseMailFolder, type MailFolder } from '../domain/mail-folder';
import { findStandardFolder } from '../folders/standard-folders';
import { compileExactly } from '../listing/exact-terms';
import { ALL_MAILS, MailListing } from '../listing/mail-listing';
import { resolveMailColumns } from '../messages/mail-columns';
import { MailRows } from '../messages/mail-rows';
import { compileFacets, dependsOnFolder } from './mail-criteria';
import { MAIL_FACETS, toPersonValue } from './mail-facets';

const COMMON: readonly CommonFacet[] = ['folder', 'account'];
/** Columns of results, whatever is asked for. */
const PLACE_COLUMNS = ['600', '601'];
/** By arrival, the newest first. */
const NEWEST_FIRST = { column: 610, descending: true } as const;

/** Searches mails by facets. */
@Injectable()
export class MailFinder {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly listing: MailListing,
    private readonly rows: MailRows,
    private readonly properties: Properties,
    private readonly caller: Caller,
    private readonly clock: Clock,
  ) {}

  /** The facets that are left to choose. @throws FIND-0003, FIND-0005 to FIND-0008, and what the mail server refuses */
  async listFacets(
    call: UserRequest,
    { limit = DEFAULT_FIND_VALUES }: FindAutocompleteQuery,
    body: FindAutocompleteBody,
  ): Promise<FindFacets> {
    const { principal: user } = call;
    const request = parseFindRequest(body, MAIL_FACETS, COMMON);
    const minLength = await this.properties.get(MIN_SEARCH_LENGTH, user);
    const typed = body.prefix.trim();
    const chosen = new Set(request.active.filter(({ facet }) => facet === 'contacts').map(({ value }) => value));
    const [known, isSent] = await Promise.all([
      listFindContacts(user, typed, limit + chosen.size, (query) =>
        this.caller.call(contacts.autocomplete, { principal: user, query, signal: call.signal }),
      ),
      request.folder !== undefined && this.isSent(call, parseMailFolder(request.folder)),
    ]);
    const offered = known.filter(({ id }) => !chosen.has(id)).slice(0, limit);
    if (typed !== '') offered.push({ id: typed, item: { name: typed }, addresses: [typed] });
    const isToFirst = isSent || chosen.size > 0;
    const facets = listFacets(MAIL_FACETS, {
      request,
      prefix: body.prefix,
      minLength,
      locale: user.locale,
      values: { contacts: offered.map((each) => toPersonValue(each, user.locale, isToFirst)) },
      folderTypes: [],
    });
    return { facets };
  }

  /**
   * A page of the mails of a folder, the newest first.
   * @throws FIND-0003 to FIND-0008, FIND-0010, FIND-0011, FIND-0019, and what the mail server refuses
   */
  async listPage(call: UserRequest, { columns = ['list'] }: FindQuery, body: FindQueryBody): Promise<FindPage> {
    const { principal: user } = call;
    const request = parseFindRequest(body, MAIL_FACETS, COMMON);
    const [minLength, searchesTexts, most, allMails] = await Promise.all([
      this.properties.get(MIN_SEARCH_LENGTH, user),
      this.properties.get(FIND_IN_MAIL_TEXTS, user),
      this.properties.get(MAX_FIND_RESULTS, user),
      this.properties.get(ALL_MAILS_FOLDER, user),
    ]);
    const { start, size } = parseFindPage(body, most);
    const shown = resolveMailColumns({ columns: [...new Set([...PLACE_COLUMNS, ...columns])] });
    const names = shown.map((column) => (column.kind === 'nothing' ? '' : column.name));
    const now = this.clock.now();
    return this.mailboxes.useFolder(call, toFolder(request, allMails), { repeatable: true }, async (open) => {
      const { session } = open;
      const isSent = request.active.some(dependsOnFolder) && (await isSentFolder(open));
      const surroundings = { now, minLength, isSent, searchesTexts, hasWithin: session.can('WITHIN') };
      const criteria = await compileExactly(session, (each) => compileFacets(request.active, surroundings, each));
      const mails = await this.listing.listPage(
        user,
        session,
        NEWEST_FIRST,
        criteria.length > 0 ? criteria : ALL_MAILS,
        { start, end: start + size },
        most,
      );
      const rows = await this.rows.listRows(call, open, mails, shown, request.timezone);
      return toFindPage(start, toFindResults(names, rows));
    });
  }

  private isSent(call: UserRequest, folder: MailFolder): Promise<boolean> {
    const work = (session: OpenFolder['session'], account: OpenFolder['account']) =>
      isSentFolder({ session, account, folder });
    return this.mailboxes.useAccount(call, folder.account, { repeatable: true }, work, folder);
  }
}

const isSentFolder = async ({ session, account, folder }: OpenFolder): Promise<boolean> =>
  findStandardFolder(await session.listMailboxes(false), account, 'sent')?.path === folder.path;

/** The folder that is searched: the one chosen, else the one with all mails. @throws FIND-0011 when there is neither */
function toFolder({ folder, account }: FindRequest, allMails: string): MailFolder {
  if (folder !== undefined) return parseMailFolder(folder);
  if (allMails === '') throw FindErrors.noFacet('folder');
  return { account: account === undefined ? 0 : parseMailFolder(account).account, path: allMails };
}
