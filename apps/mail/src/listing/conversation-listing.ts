import type { UserPrincipal } from '@groupware/contracts';
import { isSameState } from '@groupware/mail-access';
import { pauseAfterTurn, sortInSlices } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { OpenFolder } from '../accounts/mailboxes';
import { flattenThread } from '../domain/mail-threads';
import type { ListWindow } from '../domain/window';
import type { Conversations, FolderIndex } from './index/folder-index';
import { ALL_MAILS, MailListing } from './mail-listing';

/** Pages of the conversations of large folders. What they are made of is made once for each state of a folder. */
@Injectable()
export class ConversationListing {
  constructor(private readonly listing: MailListing) {}

  /**
   * Lists a part of the conversations of the open folder in order, as ids of their mails, the newest first.
   * @param unread only conversations with one of these
   * @returns undefined where the server makes no threads, or the folder changed meanwhile
   */
  async listPage(
    user: UserPrincipal,
    { session, index }: OpenFolder,
    { column, descending }: { readonly column: number; readonly descending: boolean },
    unread: ReadonlySet<number> | undefined,
    window: ListWindow | undefined,
    most: number,
  ): Promise<readonly number[][] | undefined> {
    if (!index) return undefined;
    const found = index.findConversations(String(column)) ?? (await this.sort(user, session, index, column));
    if (!found) return undefined;
    const { uids, starts } = found;
    const count = starts.length - 1;
    const start = window?.start ?? 0;
    const end = Math.min(Math.max(start, window?.end ?? Infinity), start + most);
    const page: number[][] = [];
    for (let at = 0, rank = 0; at < count && rank < end; at += 1) {
      const place = descending ? count - 1 - at : at;
      if (!unread && rank < start) {
        at += start - 1;
        rank = start;
        continue;
      }
      const group = uids.slice(starts[place], starts[place + 1]);
      if (unread && !group.some((uid) => unread.has(uid))) continue;
      if (rank >= start) page.push(group);
      rank += 1;
      const turn = pauseAfterTurn();
      if (turn) await turn;
    }
    return page;
  }

  /** Sorts conversations by the rank of their newest mails. */
  private async sort(
    user: UserPrincipal,
    session: OpenFolder['session'],
    index: FolderIndex,
    column: number,
  ): Promise<Conversations | undefined> {
    const groups = await this.group(user, session, index);
    if (!groups) return undefined;
    const { uids, starts } = groups;
    const order = await this.listing.listUids(user, session, { column, descending: false }, ALL_MAILS);
    const ranks = await this.rankAll(order);
    const places = Array.from({ length: starts.length - 1 }, (_each, place) => place);
    const rankOf = (place: number) => ranks.get(uids[starts[place]!]!) ?? Infinity;
    const sorted = await sortInSlices(places, (one, other) => rankOf(one) - rankOf(other));
    const found = { uids: [] as number[], starts: [0] };
    for (const place of sorted) {
      for (let at = starts[place]!; at < starts[place + 1]!; at += 1) found.uids.push(uids[at]!);
      found.starts.push(found.uids.length);
      const turn = pauseAfterTurn();
      if (turn) await turn;
    }
    if (!isSameState(session.state, index.state)) return undefined;
    index.keepConversations(String(column), found);
    return found;
  }

  /** Conversations in no order, of each the newest mail first. */
  private async group(
    user: UserPrincipal,
    session: OpenFolder['session'],
    index: FolderIndex,
  ): Promise<Conversations | undefined> {
    const known = index.findConversations('610');
    if (known) return known;
    const threads = await session.listThreads(ALL_MAILS);
    if (!threads) return undefined;
    const arrival = await this.rankAll(
      await this.listing.listUids(user, session, { column: 610, descending: false }, ALL_MAILS),
    );
    const found = { uids: [] as number[], starts: [0] };
    for (const thread of threads) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      const members = flattenThread(thread).flatMap(({ uid }) => (arrival.has(uid) ? [uid] : []));
      if (members.length === 0) continue;
      if (members.length > 1) members.sort((a, b) => arrival.get(b)! - arrival.get(a)!);
      for (const uid of members) found.uids.push(uid);
      found.starts.push(found.uids.length);
    }
    return found;
  }

  private async rankAll(uids: readonly number[]): Promise<Map<number, number>> {
    const ranks = new Map<number, number>();
    for (const [rank, uid] of uids.entries()) {
      ranks.set(uid, rank);
      const turn = rank % 1_024 === 0 ? pauseAfterTurn() : undefined;
      if (turn) await turn;
    }
    return ranks;
  }
}
