import {
  mail,
  MailErrors,
  MIN_SEARCH_LENGTH,
  type CallOf,
  type Handler,
  type MailData,
  type MailThread,
} from '@groupware/contracts';
import type { ImapSession, ImapToken } from '@groupware/mail-access';
import { Handles, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { parseMailFolder, toMailFolderId } from '../domain/mail-folder';
import { flattenThread } from '../domain/mail-threads';
import { compileTerm } from '../domain/search-term';
import { compileExactly } from '../listing/exact-terms';
import { ALL_MAILS, MailListing, toRanks } from '../listing/mail-listing';
import { parseOrder } from '../listing/mail-order';
import { resolveMailColumns, type MailColumn } from '../messages/mail-columns';
import { MailRows } from '../messages/mail-rows';
import type { MailCells } from '../messages/mail-view';

type Call = CallOf<typeof mail.thread_references>;

const RECEIVED: MailColumn = { kind: 'field', property: 'received_date', name: 'received_date' };

/** Lists the threads of folders as mail servers find them. */
@Injectable()
export class ThreadReferences {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly listing: MailListing,
    private readonly rows: MailRows,
    private readonly properties: Properties,
  ) {}

  /** @throws MSG-0087 where the server finds none, MSG-0003 and MSG-0068 for bad terms, MSG-0030, MSG-0031 */
  async listThreads(call: Call): Promise<MailThread[]> {
    const { query, principal } = call;
    const columns = resolveMailColumns(query);
    const { column, descending } = parseOrder(query);
    const order = { column: column === 'thread' ? 610 : column, descending };
    const compile = await this.prepareTerm(call);
    const most = await this.rows.getMaxRows(call);
    return this.mailboxes.useFolder(call, parseMailFolder(query.folder), { repeatable: true }, async (open) => {
      const { session, folder } = open;
      const criteria = await compile(session);
      const threads = await session.listThreads(criteria);
      if (!threads) throw MailErrors.noThreads();
      const arrival = toRanks(
        await this.listing.listUids(principal, session, { column: 610, descending: false }, criteria),
      );
      const ranks =
        order.column === 610 && !order.descending
          ? arrival
          : toRanks(await this.listing.listUids(principal, session, order, criteria));
      const found = threads
        .map((thread) => flattenThread(thread).flatMap(({ uid }) => (arrival.has(uid) ? [uid] : [])))
        .filter((uids) => uids.length >= Math.max(1, query.size ?? 1))
        .map((uids) => {
          const newestFirst = [...uids].sort((a, b) => arrival.get(b)! - arrival.get(a)!);
          return { root: uids[0]!, uids: newestFirst, rank: ranks.get(newestFirst[0]!) ?? Infinity };
        })
        .sort((a, b) => a.rank - b.rank)
        .slice(0, most);
      const uids = found.flatMap((thread) => thread.uids);
      const cells = await this.rows.readMails(call, open, uids, [...columns, RECEIVED], query.timezone);
      return found.flatMap((thread) => {
        // Mails that went meanwhile are left out, and threads without a mail.
        const mails = thread.uids.flatMap((uid) => cells.get(uid) ?? []);
        const root = cells.get(thread.root) ?? mails[mails.length - 1];
        return root ? [toThread(root, mails, columns, toMailFolderId(folder))] : [];
      });
    });
  }

  /** How the term of a request is compiled for a folder. @throws MSG-0003, MSG-0068 */
  private async prepareTerm({
    principal,
    body,
  }: Call): Promise<(session: ImapSession) => Promise<readonly ImapToken[]>> {
    const filter = (body as { readonly filter?: unknown } | null | undefined)?.filter ?? body;
    const isEmpty = filter == null || (typeof filter === 'object' && Object.keys(filter).length === 0);
    if (isEmpty) return async () => ALL_MAILS;
    const limits = { minCharacters: await this.properties.get(MIN_SEARCH_LENGTH, principal) };
    compileTerm(filter, limits);
    return (session) => compileExactly(session, (each) => compileTerm(filter, limits, each));
  }
}

function toThread(
  root: MailCells,
  mails: readonly MailCells[],
  columns: readonly MailColumn[],
  folder: string,
): MailThread {
  const [latest] = mails as readonly [MailCells];
  const objects: MailData[] = mails.map((cells) => cells.toObject(columns));
  const [rootId, latestId] = [String(root.message.uid), String(latest.message.uid)];
  return {
    ...root.toObject(columns),
    rootMailId: rootId,
    rootOriginalMailId: rootId,
    rootOriginalFolderId: folder,
    latestMailId: latestId,
    latestOriginalMailId: latestId,
    latestOriginalFolderId: folder,
    latestReceivedDate: Number(latest.getCell(RECEIVED) ?? 0),
    thread: objects,
  };
}

/** `thread_references`: the threads of a folder. */
@Handles(mail.thread_references)
export class ThreadReferencesHandler implements Handler<typeof mail.thread_references> {
  constructor(private readonly threads: ThreadReferences) {}

  handle(call: Call): Promise<MailThread[]> {
    return this.threads.listThreads(call);
  }
}
