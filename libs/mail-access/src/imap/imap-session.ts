import type { FetchMessageObject, FetchQueryObject, ImapFlow, ListResponse, MailboxObject } from 'imapflow';
import { encodePath } from 'imapflow/lib/tools';
import { findRefusal, ImapRefusal } from './imap-refusal';
import {
  atom,
  formatUidSet,
  parseThreads,
  parseUidSet,
  textOf,
  uidSet,
  type ImapToken,
  type UidThread,
} from './imap-tokens';

/** Commands that the library has no method for. */
interface RawClient {
  readonly folders: ReadonlyMap<string, ListResponse>;
  exec(
    command: string,
    attributes: readonly ImapToken[],
    options?: { untagged?: Readonly<Record<string, (response: RawResponse) => Promise<void>>> },
  ): Promise<{ readonly response: RawResponse; next(): void }>;
}
interface RawResponse {
  readonly attributes?: readonly ImapToken[];
}

const rawOf = (client: ImapFlow) => client as unknown as RawClient;

/** Most UIDs named in one command. */
export const UID_BLOCK = 1_000;
/** Lists of UIDs that a session remembers of its mailbox. */
const MAX_LISTS = 8;

/** UIDs of mails in the folder they were copied to, by the former ones; empty where the server does not tell. */
export type CopiedUids = ReadonlyMap<number, number>;

/**
 * One connection with its selected mailbox. A session is used by one caller at a time. What a server can't do is done another
 * way, as its capabilities tell.
 */
export class ImapSession {
  /** Sorted UIDs of the selected mailbox, forgotten when mails come or go. */
  private readonly lists = new Map<string, readonly number[]>();

  constructor(
    readonly client: ImapFlow,
    /** Capabilities that are not used although the server has them. */
    private readonly ignored: ReadonlySet<string> = new Set(),
  ) {
    const forget = () => this.lists.clear();
    client.on('exists', forget);
    client.on('expunge', forget);
    client.on('mailboxClose', forget);
  }

  /** Whether the server has a capability. */
  can(capability: string): boolean {
    return this.client.capabilities.has(capability) && !this.ignored.has(capability);
  }

  /** Full name of the selected mailbox. */
  get selected(): string | undefined {
    return this.client.mailbox ? this.client.mailbox.path : undefined;
  }

  /** State of the selected mailbox. */
  get mailbox(): MailboxObject {
    if (!this.client.mailbox) throw new ImapRefusal('CLOSED', 'NO');
    return this.client.mailbox;
  }

  /**
   * Selects a mailbox, anew when it is selected already: another client may have deleted it and made it again. Sorted lists
   * are kept while validity, next UID and number of mails are the same: then none came and none went.
   * @throws ImapRefusal
   */
  async select(path: string): Promise<MailboxObject> {
    const before = this.selected === path ? stateOf(this.mailbox) : undefined;
    try {
      const opened = await this.client.mailboxOpen(path);
      if (before === undefined || before !== stateOf(opened)) this.lists.clear();
      return opened;
    } catch (error) {
      this.lists.clear();
      throw findRefusal(error) ?? error;
    }
  }

  /** Whether the selected mailbox takes no changes. */
  get isReadOnly(): boolean {
    return this.mailbox.readOnly ?? false;
  }

  /** Removes a mailbox with its mails. */
  async deleteMailbox(path: string): Promise<void> {
    try {
      if (this.selected === path) await this.client.mailboxClose();
      await this.client.mailboxDelete(path);
      await this.client.mailboxUnsubscribe(path).catch(() => false);
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Renames a mailbox with those below it. */
  async renameMailbox(path: string, to: string): Promise<void> {
    try {
      if (this.selected === path) await this.client.mailboxClose();
      await this.client.mailboxRename(path, to);
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Subscribes to a mailbox or no longer. */
  async subscribe(path: string, subscribed: boolean): Promise<void> {
    await (subscribed ? this.client.mailboxSubscribe(path) : this.client.mailboxUnsubscribe(path));
  }

  /** Whether the server listed a mailbox as one that holds no mails. */
  isUnselectable(path: string): boolean {
    return rawOf(this.client).folders.get(path)?.flags.has('\\Noselect') ?? false;
  }

  /** UIDs of matching mails in the order of a key of SORT (RFC 5256, 5957), or by UID. The key needs the capability. */
  async listUids(criteria: readonly ImapToken[], sortKey?: readonly string[]): Promise<readonly number[]> {
    const key = isFlagless(criteria) ? (sortKey ?? ['UID']).join(' ') : undefined;
    const known = key === undefined ? undefined : this.lists.get(key);
    if (known) return known;
    const found = await this.queryUids(criteria, sortKey);
    if (key !== undefined) {
      if (this.lists.size >= MAX_LISTS) this.lists.clear();
      this.lists.set(key, found);
    }
    return found;
  }

  /** Threads of matching mails by the best algorithm that follows references only; undefined when the server has none. */
  async listThreads(criteria: readonly ImapToken[]): Promise<UidThread[] | undefined> {
    const algorithm = ['REFS', 'REFERENCES'].find((name) => this.can(`THREAD=${name}`));
    if (!algorithm) return undefined;
    let threads: UidThread[] = [];
    await this.command('UID THREAD', [atom(algorithm), atom('UTF-8'), ...criteria], {
      THREAD: async ({ attributes = [] }) => {
        threads = parseThreads(attributes);
      },
    });
    return threads;
  }

  /** Data of mails by UID, in no particular order; those that are gone are missing. */
  async fetch(uids: readonly number[], query: FetchQueryObject): Promise<FetchMessageObject[]> {
    const found: FetchMessageObject[] = [];
    const sorted = [...uids].sort((a, b) => a - b);
    for (let index = 0; index < sorted.length; index += UID_BLOCK) {
      const set = formatUidSet(sorted.slice(index, index + UID_BLOCK));
      try {
        for await (const message of this.client.fetch(set, { uid: true, ...query }, { uid: true })) found.push(message);
      } catch (error) {
        throw findRefusal(error) ?? error;
      }
    }
    const wanted = new Set(uids);
    return found.filter(({ uid }) => wanted.has(uid));
  }

  /** Begins of texts by UID (RFC 8970); empty where the server has none. */
  async fetchPreviews(uids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const previews = new Map<number, string>();
    if (!this.can('PREVIEW')) return previews;
    for (let index = 0; index < uids.length; index += UID_BLOCK)
      await this.command('UID FETCH', [uidSet(uids.slice(index, index + UID_BLOCK)), [atom('UID'), atom('PREVIEW')]], {
        FETCH: async ({ attributes = [] }) => {
          const items = (attributes[1] ?? []) as readonly ImapToken[];
          const valueOf = (name: string) => {
            const at = items.findIndex((item) => textOf(item).toUpperCase() === name);
            return at < 0 ? '' : textOf(items[at + 1]);
          };
          previews.set(Number(valueOf('UID')), valueOf('PREVIEW'));
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
    this.lists.clear();
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
    this.lists.clear();
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
    this.lists.clear();
    await this.command('EXPUNGE', []);
  }

  /** All mailboxes of the account with their states, where the server has LIST-STATUS in one round trip. */
  async listMailboxes(withCounts: boolean): Promise<ListResponse[]> {
    try {
      return await this.client.list(
        withCounts ? { statusQuery: { messages: true, unseen: true, recent: true } } : undefined,
      );
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Separator of the levels of names. */
  get separator(): string {
    return (this.client.namespace && this.client.namespace.delimiter) || '/';
  }

  /** Makes a mailbox, which may be there, and subscribes to it. @param path a list gets the prefix of the user's namespace */
  async createMailbox(path: string | readonly string[]): Promise<{ readonly path: string; readonly created: boolean }> {
    try {
      const { path: made, created } = await this.client.mailboxCreate(path as string | string[]);
      await this.client.mailboxSubscribe(made).catch(() => false);
      return { path: made, created: created ?? false };
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
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

  /** Numbers of a mailbox. @throws ImapRefusal */
  async status(path: string) {
    try {
      const found = await this.client.status(path, { messages: true, unseen: true, uidNext: true, uidValidity: true });
      if (!found) throw new ImapRefusal('', 'NO');
      return found;
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Sends a command. @throws ImapRefusal */
  async command(
    name: string,
    attributes: readonly ImapToken[],
    untagged: Readonly<Record<string, (response: RawResponse) => Promise<void>>> = {},
  ): Promise<RawResponse> {
    try {
      const { response, next } = await rawOf(this.client).exec(name, attributes, { untagged });
      next();
      return response;
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Name of a mailbox as the server wants it. */
  name(path: string): ImapToken {
    return { type: 'STRING', value: encodePath(this.client, path) };
  }

  private async queryUids(criteria: readonly ImapToken[], sortKey?: readonly string[]): Promise<number[]> {
    const uids: number[] = [];
    const collect = async ({ attributes = [] }: RawResponse) => {
      for (const token of attributes) {
        const uid = Number(textOf(token));
        if (uid > 0) uids.push(uid);
      }
    };
    const collectSet = async ({ attributes = [] }: RawResponse) => {
      const at = attributes.findIndex((token) => textOf(token).toUpperCase() === 'ALL');
      if (at >= 0) for (const uid of parseUidSet(textOf(attributes[at + 1]))) uids.push(uid);
    };
    if (sortKey) {
      const returns = this.can('ESORT') ? [atom('RETURN'), [atom('ALL')]] : [];
      await this.command('UID SORT', [...returns, sortKey.map(atom), atom('UTF-8'), ...criteria], {
        SORT: collect,
        ESEARCH: collectSet,
      });
      return uids;
    }
    const returns = this.can('ESEARCH') ? [atom('RETURN'), [atom('ALL')]] : [];
    const charset = holdsLiteral(criteria) ? [atom('CHARSET'), atom('UTF-8')] : [];
    await this.command('UID SEARCH', [...returns, ...charset, ...criteria], { SEARCH: collect, ESEARCH: collectSet });
    return uids.sort((a, b) => a - b);
  }
}

/** Values that change with the mails of a mailbox; undefined where the server does not tell it. */
const stateOf = ({ uidValidity, uidNext, exists }: MailboxObject): string | undefined =>
  uidNext ? `${uidValidity} ${uidNext} ${exists}` : undefined;

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
