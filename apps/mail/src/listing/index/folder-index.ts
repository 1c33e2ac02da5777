import { atom, isSameState, type ImapSession, type KeptLists, type MailboxState } from '@groupware/mail-access';

/** An id within lists, bytes. */
const ID_BYTES = 8;
/** More new mails than these are not worth looking at: the server is asked for the whole order. */
const MAX_ADDED = 200;
/** Key of the list of all ids. */
const BY_UID = 'UID';
/** Key of the list by the time of arrival. */
const BY_ARRIVAL = 'ARRIVAL';

/** Conversations of a folder, the newest mail of each first. */
export interface Conversations {
  /** Mails of all conversations, one behind the other. */
  readonly uids: readonly number[];
  /** Start of each conversation; at last the number of mails. */
  readonly starts: readonly number[];
}

/** Changes between two states of a folder. */
interface Difference {
  readonly removed: ReadonlySet<number>;
  readonly added: readonly number[];
}

/** Orders and conversations of a folder, of one state of it. */
export class FolderIndex implements KeptLists {
  private readonly lists = new Map<string, readonly number[]>();
  private readonly conversations = new Map<string, Conversations>();
  private difference: Promise<Difference | undefined> | undefined;

  constructor(
    readonly state: MailboxState,
    /** Lists of an earlier state, from which those of this one are made. */
    private readonly earlier: Map<string, readonly number[]>,
    private readonly resized: (index: FolderIndex) => void,
  ) {}

  /** Memory that it takes, about. */
  get bytes(): number {
    let ids = 0;
    for (const lists of [this.lists, this.earlier]) for (const list of lists.values()) ids += list.length;
    for (const { uids, starts } of this.conversations.values()) ids += uids.length + starts.length;
    return 1_000 + ids * ID_BYTES;
  }

  /** Lists by their keys, for the index of a later state. */
  get knownLists(): Map<string, readonly number[]> {
    // Those that were not asked for in this state are of another one.
    return new Map(this.lists);
  }

  async find(
    key: string,
    session: ImapSession,
    sortKey: readonly string[] | undefined,
  ): Promise<readonly number[] | undefined> {
    const known = this.lists.get(key);
    if (known || !sortKey || !this.earlier.has(key)) return known;
    // Another call may look for the same: both find it, and the second one to come keeps it.
    const difference = await (this.difference ??= this.compare(session));
    const before = this.earlier.get(key);
    if (!difference || !before) return this.lists.get(key);
    const { removed, added } = difference;
    const left = removed.size === 0 ? before : before.filter((uid) => !removed.has(uid));
    const found =
      added.length === 0 ? left : key === BY_ARRIVAL ? await appendArrived(session, left, added) : undefined;
    this.earlier.delete(key);
    if (found?.length !== this.state.messages || !isSameState(session.state, this.state)) return undefined;
    this.keep(key, found);
    return found;
  }

  keep(key: string, uids: readonly number[]): void {
    this.lists.set(key, uids);
    this.resized(this);
  }

  findConversations(key: string): Conversations | undefined {
    return this.conversations.get(key);
  }

  keepConversations(key: string, conversations: Conversations): void {
    this.conversations.set(key, conversations);
    this.resized(this);
  }

  /** Compares an earlier list with the mails that there are now; undefined when too many came. */
  private async compare(session: ImapSession): Promise<Difference | undefined> {
    const before = this.earlier.get(BY_UID) ?? [...this.earlier.values()][0] ?? [];
    const now = await session.listUids([atom('ALL')]);
    const known = new Set(before);
    const added = now.filter((uid) => !known.delete(uid));
    // The mails left are gone.
    return added.length > MAX_ADDED ? undefined : { removed: known, added };
  }
}

/** Appends mails that came behind all others, as mails do; undefined when one is older, as copied ones are. */
async function appendArrived(
  session: ImapSession,
  order: readonly number[],
  added: readonly number[],
): Promise<readonly number[] | undefined> {
  const last = order[order.length - 1];
  const found = await session.fetch([...(last === undefined ? [] : [last]), ...added], {
    uid: true,
    internalDate: true,
  });
  const times = new Map(found.map(({ uid, internalDate }) => [uid, new Date(internalDate ?? NaN).getTime()]));
  const timeOf = (uid: number) => times.get(uid) ?? NaN;
  const isBehind = (uid: number) => timeOf(uid) >= (last === undefined ? -Infinity : timeOf(last));
  if (!added.every(isBehind)) return undefined;
  // Mails of the same time are in the order of their numbers (RFC 5256, section 3).
  return [...order, ...[...added].sort((a, b) => timeOf(a) - timeOf(b) || a - b)];
}
