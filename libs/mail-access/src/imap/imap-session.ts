import type { FetchMessageObject, FetchQueryObject, ImapFlow, MailboxObject } from 'imapflow';
import { ImapMailboxes, rawOf, type RawResponse } from './imap-mailboxes';
import { findRefusal, ImapRefusal } from './imap-refusal';
import { NumberLines } from './lines/number-lines';
import { ResponseLines } from './lines/response-lines';
import { ThreadList } from './lines/thread-list';
import { atom, formatUidSet, parseUidSet, textOf, uidSet, type ImapToken, type UidThread } from './imap-tokens';

/** Most UIDs named in one command. */
export const UID_BLOCK = 1_000;
/** Lists of UIDs that a session remembers of its mailbox. */
const MAX_LISTS = 8;
/**
 * So long a large mailbox that is selected is brought up to date only, ms. A server may keep a mailbox for its sessions that was
 * deleted (RFC 2180, section 3.2), and not tell that there is another one of its name.
 */
const RESELECT_MS = 60_000;
/** Rounds in which a busy mailbox may come to rest before it is selected anew. */
const MAX_ROUNDS = 3;

/** State that tells whether the same mails are in a mailbox (RFC 3501, section 2.3.1.1). */
export interface MailboxState {
  readonly validity: bigint;
  readonly uidNext: number;
  readonly messages: number;
}

/** Lists of a mailbox that outlive sessions. Those that a session gets and gives are of the state it has selected. */
export interface KeptLists {
  /** UIDs of all mails in the order of a key; undefined where the server must be asked. */
  find(
    key: string,
    session: ImapSession,
    sortKey: readonly string[] | undefined,
  ): Promise<readonly number[] | undefined>;
  keep(key: string, uids: readonly number[]): void;
}

/** UIDs of mails in the folder they were copied to, by the former ones; empty where the server does not tell. */
export type CopiedUids = ReadonlyMap<number, number>;

/** The connection was closed in the middle of a command. */
class ConnectionClosed extends Error {
  readonly code = 'NoConnection';

  constructor() {
    super('the connection was closed');
  }
}

/** One connection with its selected mailbox. A session is used by one caller at a time. */
export class ImapSession extends ImapMailboxes {
  /** Sorted UIDs of the selected mailbox, forgotten when mails come or go. */
  private readonly lists = new Map<string, readonly number[]>();
  private readonly lines: ResponseLines;
  private keptLists: KeptLists | undefined;
  /** State of the selected mailbox; undefined where the server does not tell it. */
  private selectedState: MailboxState | undefined;
  private selectedAt = 0;
  /** Mailboxes with fewer mails are selected anew each time: that costs a server hardly more than to tell what is new. */
  largeMailbox = 1_000;
  /** Mails came or went since the state was read. */
  private isChanged = false;

  /** @param ignored capabilities that are not used although the server has them */
  constructor(client: ImapFlow, ignored?: ReadonlySet<string>) {
    super(client, ignored);
    const forget = () => this.forgetLists();
    this.lines = new ResponseLines(rawOf(client));
    client.on('exists', forget);
    client.on('expunge', forget);
    client.on('mailboxClose', () => this.lists.clear());
  }

  /** State of the selected mailbox. */
  get mailbox(): MailboxObject {
    if (!this.client.mailbox) throw new ImapRefusal('CLOSED', 'NO');
    return this.client.mailbox;
  }

  /**
   * Selects a mailbox. A large one that is selected already is brought up to date, which costs a server nothing; opening one of 100,000
   * mails takes it longer than reading a page of it. Sorted lists are kept while no mail came and none went.
   * @throws ImapRefusal
   */
  async select(path: string): Promise<MailboxObject> {
    this.keptLists = undefined;
    if (this.selected === path && (await this.refresh())) return this.mailbox;
    const before = this.selected === path ? this.selectedState : undefined;
    this.selectedState = undefined;
    try {
      this.isChanged = false;
      const opened = await this.client.mailboxOpen(path);
      this.selectedAt = performance.now();
      const { uidValidity: validity, exists: messages } = opened;
      // Not all servers tell the next UID here (RFC 3501, section 6.3.1); small mailboxes have no use for it.
      const uidNext = opened.uidNext || (messages < this.largeMailbox ? undefined : await this.findUidNext());
      this.selectedState = uidNext && !this.isChanged ? { validity, uidNext, messages } : undefined;
      if (!isSameState(before, this.selectedState)) this.lists.clear();
      return opened;
    } catch (error) {
      this.lists.clear();
      throw findRefusal(error) ?? error;
    }
  }

  /** State of the selected mailbox as its lists are of; undefined where it is not known. */
  get state(): MailboxState | undefined {
    return this.isChanged ? undefined : this.selectedState;
  }

  /** Uses lists of the selected mailbox, until mails come or go. */
  useLists(lists: KeptLists | undefined): void {
    this.keptLists = this.state && lists;
  }

  /** Brings the selected mailbox up to date; false when it must be selected anew. */
  private async refresh(): Promise<boolean> {
    if (!this.selectedState || this.selectedState.messages < this.largeMailbox) return false;
    if (performance.now() - this.selectedAt > RESELECT_MS) return false;
    try {
      await this.command('NOOP', []);
      for (let round = 0; this.isChanged; round += 1) {
        if (round === MAX_ROUNDS) return false;
        this.isChanged = false;
        const told = await this.readState();
        // The answer to STATUS is the state of the selected mailbox only when nothing came in between.
        await this.command('NOOP', []);
        if (this.isChanged) continue;
        if (told?.validity !== this.mailbox.uidValidity || told.messages !== this.mailbox.exists) return false;
        this.selectedState = told;
      }
      return true;
    } catch (error) {
      if (findRefusal(error)) return false;
      throw error;
    }
  }

  /** The next UID of the mailbox just selected; undefined where it is none of its state. */
  private async findUidNext(): Promise<number | undefined> {
    const told = await this.readState();
    // As in refresh: what came in between is told now.
    await this.command('NOOP', []);
    return told?.messages === this.mailbox.exists ? told.uidNext : undefined;
  }

  private async readState(): Promise<MailboxState | undefined> {
    const told = new Map<string, string>();
    const wanted = ['UIDVALIDITY', 'UIDNEXT', 'MESSAGES'];
    await this.command('STATUS', [this.name(this.mailbox.path), wanted.map(atom)], {
      STATUS: async ({ attributes = [] }) => {
        const items = (attributes[1] ?? []) as readonly ImapToken[];
        for (let at = 0; at + 1 < items.length; at += 2)
          told.set(textOf(items[at]).toUpperCase(), textOf(items[at + 1]));
      },
    });
    const [validity, uidNext, messages] = wanted.map((name) => told.get(name));
    if (!validity || !uidNext || !messages) return undefined;
    return { validity: BigInt(validity), uidNext: Number(uidNext), messages: Number(messages) };
  }

  /** Forgets the lists of mails: some are about to go. */
  private forgetLists(): void {
    this.lists.clear();
    this.keptLists = undefined;
    this.isChanged = true;
  }

  /** Whether the selected mailbox takes no changes. */
  get isReadOnly(): boolean {
    return this.mailbox.readOnly ?? false;
  }

  /** UIDs of matching mails in the order of a key of SORT (RFC 5256, 5957), or by UID. The key needs the capability. */
  async listUids(criteria: readonly ImapToken[], sortKey?: readonly string[]): Promise<readonly number[]> {
    const key = isFlagless(criteria) ? (sortKey ?? ['UID']).join(' ') : undefined;
    const { keptLists } = this;
    const known = key === undefined ? undefined : (this.lists.get(key) ?? (await keptLists?.find(key, this, sortKey)));
    if (known) return known;
    const found = await this.queryUids(criteria, sortKey);
    if (key !== undefined && keptLists) {
      // Mails that came meanwhile are in the list or not: it is of no state then.
      if (this.keptLists === keptLists && found.length === this.state?.messages) keptLists.keep(key, found);
    } else if (key !== undefined) {
      if (this.lists.size >= MAX_LISTS) this.lists.clear();
      this.lists.set(key, found);
    }
    return found;
  }

  /** Threads of matching mails by the best algorithm that follows references only; undefined when the server has none. */
  async listThreads(criteria: readonly ImapToken[]): Promise<UidThread[] | undefined> {
    const algorithm = ['REFS', 'REFERENCES'].find((name) => this.can(`THREAD=${name}`));
    if (!algorithm) return undefined;
    const list = new ThreadList();
    await this.lines.withSinks({ THREAD: (line) => list.appendThreads(line) }, () =>
      this.command('UID THREAD', [atom(algorithm), atom('UTF-8'), ...criteria]),
    );
    return list.threads;
  }

  /**
   * Data of mails by UID, in no particular order; those that are gone are missing. The structure of a mail with many mails or
   * parts within one another may be missing: the library reads no deeper than some 20 levels, and drops the whole answer.
   */
  async fetch(uids: readonly number[], query: FetchQueryObject): Promise<FetchMessageObject[]> {
    const found = await this.fetchKnown(uids, query);
    if (query.bodyStructure !== true || found.length === uids.length) return found;
    const known = new Set(found.map(({ uid }) => uid));
    const missing = uids.filter((uid) => !known.has(uid));
    return [...found, ...(await this.fetchKnown(missing, { ...query, bodyStructure: false }))];
  }

  private async fetchKnown(uids: readonly number[], query: FetchQueryObject): Promise<FetchMessageObject[]> {
    const found: FetchMessageObject[] = [];
    const sorted = [...uids].sort((a, b) => a - b);
    for (let index = 0; index < sorted.length; index += UID_BLOCK) {
      const set = formatUidSet(sorted.slice(index, index + UID_BLOCK));
      try {
        for await (const message of this.client.fetch(set, { uid: true, ...query }, { uid: true })) found.push(message);
      } catch (error) {
        throw findRefusal(error) ?? error;
      }
      // The library ends quietly when the connection is closed meanwhile: what is missing then is not gone.
      if (!this.client.usable || !this.client.mailbox) throw new ConnectionClosed();
    }
    const wanted = new Set(uids);
    return found.filter(({ uid }) => wanted.has(uid));
  }

  /** Begins of texts by UID (RFC 8970); those that the server does not have are missing. */
  async fetchPreviews(uids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const previews = new Map<number, string>();
    if (!this.can('PREVIEW')) return previews;
    for (let index = 0; index < uids.length; index += UID_BLOCK)
      await this.command('UID FETCH', [uidSet(uids.slice(index, index + UID_BLOCK)), [atom('UID'), atom('PREVIEW')]], {
        FETCH: async ({ attributes = [] }) => {
          const items = (attributes[1] ?? []) as readonly ImapToken[];
          const find = (name: string) => {
            const at = items.findIndex((item) => textOf(item).toUpperCase() === name);
            return at < 0 ? undefined : items[at + 1];
          };
          const preview = find('PREVIEW');
          if (preview) previews.set(Number(textOf(find('UID'))), textOf(preview));
        },
      });
    return previews;
  }

  /** Adds or removes flags. Those that the mailbox does not keep are ignored by the server. */
  async store(uids: readonly number[], action: 'add' | 'remove', flags: readonly string[]): Promise<void> {
    if (flags.length === 0) return;
    for (let index = 0; index < uids.length; index += UID_BLOCK)
      await this.command('UID STORE', [
        uidSet(uids.slice(index, index + UID_BLOCK)),
        atom(action === 'add' ? '+FLAGS.SILENT' : '-FLAGS.SILENT'),
        flags.map(atom),
      ]);
  }

  /** Copies mails into another mailbox of the account. */
  async copy(uids: readonly number[], path: string): Promise<CopiedUids> {
    const copied = new Map<number, number>();
    for (let index = 0; index < uids.length; index += UID_BLOCK) {
      const block = uids.slice(index, index + UID_BLOCK);
      const response = await this.command('UID COPY', [uidSet(block), this.name(path)]);
      readCopyUids(response, copied);
    }
    return copied;
  }

  /** Moves mails into another mailbox of the account. */
  async move(uids: readonly number[], path: string): Promise<CopiedUids> {
    const moved = new Map<number, number>();
    this.forgetLists();
    if (!this.can('MOVE')) {
      const copied = await this.copy(uids, path);
      await this.remove(uids);
      return copied;
    }
    for (let index = 0; index < uids.length; index += UID_BLOCK) {
      const set = uidSet(uids.slice(index, index + UID_BLOCK));
      const response = await this.command('UID MOVE', [set, this.name(path)], {
        OK: async (untagged) => readCopyUids(untagged, moved),
      });
      readCopyUids(response, moved);
    }
    return moved;
  }

  /** Removes mails for good. */
  async remove(uids: readonly number[]): Promise<void> {
    if (uids.length === 0) return;
    this.forgetLists();
    await this.store(uids, 'add', ['\\Deleted']);
    if (this.can('UIDPLUS')) {
      for (let index = 0; index < uids.length; index += UID_BLOCK)
        await this.command('UID EXPUNGE', [uidSet(uids.slice(index, index + UID_BLOCK))]);
      return;
    }
    // EXPUNGE takes all that are marked: the others are marked again afterwards.
    const own = new Set(uids);
    const others = (await this.queryUids([atom('DELETED')])).filter((uid) => !own.has(uid));
    await this.store(others, 'remove', ['\\Deleted']);
    await this.command('EXPUNGE', []);
    await this.store(others, 'add', ['\\Deleted']);
  }

  /** Removes all mails that are marked as deleted. */
  async expunge(): Promise<void> {
    this.forgetLists();
    await this.command('EXPUNGE', []);
  }

  /** Appends a mail. @returns its UID where the server tells */
  async append(
    path: string,
    source: Buffer,
    flags: readonly string[] = [],
    received?: Date,
  ): Promise<number | undefined> {
    try {
      const made = await this.client.append(path, source, [...flags], received);
      return made ? made.uid : undefined;
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  private async queryUids(criteria: readonly ImapToken[], sortKey?: readonly string[]): Promise<number[]> {
    const found = new NumberLines();
    const sinks = {
      SORT: (line: Buffer) => found.appendNumbers(line),
      SEARCH: (line: Buffer) => found.appendNumbers(line),
      ESEARCH: (line: Buffer) => found.appendSet(line),
    };
    if (sortKey) {
      const returns = this.can('ESORT') ? [atom('RETURN'), [atom('ALL')]] : [];
      await this.lines.withSinks(sinks, () =>
        this.command('UID SORT', [...returns, sortKey.map(atom), atom('UTF-8'), ...criteria]),
      );
      return found.numbers;
    }
    const returns = this.can('ESEARCH') ? [atom('RETURN'), [atom('ALL')]] : [];
    // A server that was told to take UTF-8 everywhere refuses to be told once more (RFC 6855, section 3).
    const needsCharset = holdsLiteral(criteria) && !this.client.enabled.has('UTF8=ACCEPT');
    const charset = needsCharset ? [atom('CHARSET'), atom('UTF-8')] : [];
    await this.lines.withSinks(sinks, () => this.command('UID SEARCH', [...returns, ...charset, ...criteria]));
    return found.numbers.sort((a, b) => a - b);
  }
}

/** Whether the same mails are in a mailbox. */
export const isSameState = (one: MailboxState | undefined, other: MailboxState | undefined): boolean =>
  one !== undefined &&
  one.validity === other?.validity &&
  one.uidNext === other.uidNext &&
  one.messages === other.messages;

/** Whether the result depends on nothing but which mails there are. */
const isFlagless = (criteria: readonly ImapToken[]): boolean => criteria.length === 1 && textOf(criteria[0]) === 'ALL';

const holdsLiteral = (tokens: readonly ImapToken[]): boolean =>
  tokens.some((token) =>
    Array.isArray(token)
      ? holdsLiteral(token as readonly ImapToken[])
      : (token as { readonly type?: string } | null)?.type === 'LITERAL',
  );

/** Reads `[COPYUID validity from to]` (RFC 4315). */
function readCopyUids({ attributes = [] }: RawResponse, into: Map<number, number>): void {
  const section = (attributes[0] as { readonly section?: readonly ImapToken[] } | null | undefined)?.section;
  if (!section || textOf(section[0]).toUpperCase() !== 'COPYUID') return;
  const from = parseUidSet(textOf(section[2]));
  const to = parseUidSet(textOf(section[3]));
  from.forEach((uid, index) => {
    if (to[index] !== undefined) into.set(uid, to[index]);
  });
}
