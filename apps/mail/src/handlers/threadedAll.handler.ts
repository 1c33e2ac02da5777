import { mail, MailErrors, type CallOf, type Handler, type MailConversation } from '@groupware/contracts';
import { atom, uidSet } from '@groupware/mail-access';
import { Handles } from '@groupware/service-kit';
import { Mailboxes, selectFolder, type OpenFolder } from '../accounts/mailboxes';
import { MailCategories } from '../categories/mail-categories';
import { parseMailFolder, toMailFolderId, type MailFolder } from '../domain/mail-folder';
import { flattenThread, groupByReferences } from '../domain/mail-threads';
import { cut, parseWindow } from '../domain/window';
import { findStandardFolder } from '../folders/standard-folders';
import { ConversationListing } from '../listing/conversation-listing';
import { MailListing, toRanks } from '../listing/mail-listing';
import { parseOrder } from '../listing/mail-order';
import { resolveMailColumns, type MailColumn } from '../messages/mail-columns';
import { MailRows } from '../messages/mail-rows';
import type { MailCells } from '../messages/mail-view';

type Call = CallOf<typeof mail.threadedAll>;

/** A mail of a conversation: of the folder, or of the one for sent mail. */
interface Member {
  readonly uid: number;
  readonly isSent: boolean;
  /** Position in order of arrival, or ms UTC: comparable within one answer. */
  readonly age: number;
}

const FLAGS: MailColumn = { kind: 'field', property: 'flags', name: 'flags' };

/** `threadedAll`: the conversations of a folder. */
@Handles(mail.threadedAll)
export class ThreadedAllHandler implements Handler<typeof mail.threadedAll> {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly listing: MailListing,
    private readonly rows: MailRows,
    private readonly conversations: ConversationListing,
    private readonly categories: MailCategories,
  ) {}

  async handle(call: Call): Promise<MailConversation[]> {
    const { query, principal } = call;
    const columns = resolveMailColumns(query);
    const { column, descending } = parseOrder(query);
    const window = parseWindow(query);
    const max = parseMax(query.max);
    const ofCategory = await this.categories.findCriteria(principal, query.categoryid ?? query.filter);
    return this.mailboxes.useFolder(call, parseMailFolder(query.folder), { repeatable: true }, async (open) => {
      const { session, folder } = open;
      const order = { column: column === 'thread' ? 610 : column, descending };
      if (open.index && !ofCategory && max === undefined && !query.includeSent && (await this.showsAll(open, query))) {
        const unread = query.unseen ? new Set(await session.listUids([atom('UNSEEN')])) : undefined;
        const most = await this.rows.getMaxRows(call);
        const page = await this.conversations.listPage(principal, open, order, unread, window, most);
        if (page) {
          const wanted = page.map((uids) => uids.map((uid) => ({ uid, isSent: false, age: 0 })));
          const cells = await this.readMembers(call, open, folder, wanted, false, columns);
          return page.flatMap((uids) =>
            toConversation(
              uids.flatMap((uid) => cells.get(uid) ?? []),
              columns,
              query.writeThreadAsObjects,
            ),
          );
        }
      }
      const shown = query.deleted === false ? [atom('UNDELETED')] : [atom('ALL')];
      const visible = ofCategory ? [...shown, ...ofCategory] : shown;
      const all = await session.listUids(visible);
      const uids = max === undefined || all.length <= max ? all : all.slice(-max);
      if (uids.length === 0) return [];
      const criteria = uids.length === all.length ? visible : [atom('UID'), uidSet(uids), ...visible];
      const ranks = toRanks(await this.listing.listUids(principal, session, order, criteria));
      const sent = query.includeSent ? await findSentFolder(open) : undefined;
      const groups = sent
        ? await this.groupWithSent(call, open, sent, uids)
        : await this.groupOwn(call, open, uids, criteria);
      const unread = query.unseen ? new Set(await session.listUids([atom('UNSEEN')])) : undefined;
      const conversations = groups
        .filter((group) => !unread || group.some(({ uid, isSent }) => !isSent && unread.has(uid)))
        .map((group) => [...group].sort((a, b) => b.age - a.age || b.uid - a.uid))
        .map((group) => ({ group, rank: ranks.get(group.find(({ isSent }) => !isSent)!.uid) ?? Infinity }))
        .sort((a, b) => a.rank - b.rank);
      const wanted = cut(conversations, window, await this.rows.getMaxRows(call)).map(({ group }) => group);
      const own = await this.readMembers(call, open, folder, wanted, false, columns);
      const answers = sent ? await this.readMembers(call, open, sent, wanted, true, columns) : undefined;
      const cellsOf = ({ uid, isSent }: Member) => (isSent ? answers : own)?.get(uid);
      return wanted.flatMap((group) =>
        toConversation(
          group.flatMap((member) => cellsOf(member) ?? []),
          columns,
          query.writeThreadAsObjects,
        ),
      );
    });
  }

  /** Whether no mail is left out. */
  private async showsAll({ session }: OpenFolder, { deleted }: Call['query']): Promise<boolean> {
    return deleted !== false || (await session.listUids([atom('DELETED')])).length === 0;
  }

  /** Conversations within the folder: by the server, else by what the mails refer to. */
  private async groupOwn(
    { principal }: Call,
    { session }: OpenFolder,
    uids: readonly number[],
    criteria: Parameters<OpenFolder['session']['listThreads']>[0],
  ): Promise<Member[][]> {
    const threads = await session.listThreads(criteria);
    if (!threads) {
      const mails = await this.listing.readThreadedMails(principal, session, uids, false);
      return groupByReferences(mails).map((group) => group.map((each) => ({ ...each, age: each.received })));
    }
    const arrival = toRanks(
      await this.listing.listUids(principal, session, { column: 610, descending: false }, criteria),
    );
    return threads
      .map((thread) =>
        flattenThread(thread).flatMap(({ uid }) => {
          const age = arrival.get(uid);
          return age === undefined ? [] : [{ uid, isSent: false, age }];
        }),
      )
      .filter((group) => group.length > 0);
  }

  /** Conversations with own answers; those of which the folder has no mail are left out. */
  private async groupWithSent(
    { principal }: Call,
    { session, folder }: OpenFolder,
    sent: MailFolder,
    uids: readonly number[],
  ): Promise<Member[][]> {
    const own = await this.listing.readThreadedMails(principal, session, uids, false);
    await selectFolder(session, sent);
    const answers = await this.listing.readThreadedMails(
      principal,
      session,
      await session.listUids([atom('ALL')]),
      true,
    );
    await selectFolder(session, folder);
    // A mail to oneself is in both folders: the received one counts.
    const known = new Set(own.flatMap(({ messageId }) => messageId ?? []));
    const others = answers.filter(({ messageId }) => messageId === undefined || !known.has(messageId));
    return groupByReferences([...own, ...others])
      .filter((group) => group.some(({ isSent }) => !isSent))
      .map((group) => group.map((each) => ({ ...each, age: each.received })));
  }

  private async readMembers(
    call: Call,
    { session, account }: OpenFolder,
    folder: MailFolder,
    groups: readonly (readonly Member[])[],
    isSent: boolean,
    columns: readonly MailColumn[],
  ): Promise<Map<number, MailCells>> {
    const uids = groups.flatMap((group) => group.flatMap((each) => (each.isSent === isSent ? [each.uid] : [])));
    if (uids.length === 0) return new Map();
    await selectFolder(session, folder);
    return this.rows.readMails(call, { session, account, folder }, uids, [...columns, FLAGS], call.query.timezone);
  }
}

function toConversation(
  mails: readonly MailCells[],
  columns: readonly MailColumn[],
  asObjects = true,
): MailConversation[] {
  const [first] = mails;
  if (!first) return [];
  const thread = asObjects
    ? mails.map((cells) => cells.toObject(columns))
    : mails.map(({ message }) => String(message.uid));
  return [{ ...first.toObject(columns), unreadCount: mails.filter(({ isSeen }) => !isSeen).length, thread }];
}

async function findSentFolder({ session, account, folder }: OpenFolder): Promise<MailFolder | undefined> {
  const found = findStandardFolder(await session.listMailboxes(false), account, 'sent');
  const sent = found && { account: account.id, path: found.path };
  return sent && toMailFolderId(sent) !== toMailFolderId(folder) ? sent : undefined;
}

/** The most mails that are threaded; undefined for all. @throws MSG-0031 */
function parseMax(text: string | undefined): number | undefined {
  if (text === undefined || text === '' || text === '-1') return undefined;
  if (!/^\d{1,9}$/.test(text)) throw MailErrors.badParameter('max', text);
  return Number(text);
}
