import { MAX_SORTED_MAILS, type UserPrincipal } from '@groupware/contracts';
import { atom, type ImapSession, type ImapToken } from '@groupware/mail-access';
import { fromBodyStructure, hasAttachments, MailHeaders } from '@groupware/mail-content';
import { pauseAfterTurn, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { COLOR_KEYWORDS } from '../domain/mail-flags';
import { cut, cutReversed, type ListWindow } from '../domain/window';
import { flattenThread, groupByReferences, parseReferences, type ThreadedMail } from '../domain/mail-threads';
import { findSortKey, FLAG_SORTS, toBaseSubject, type MailOrder } from './mail-order';

/** Criteria that all mails match. */
export const ALL_MAILS: readonly ImapToken[] = [atom('ALL')];

/** A mail of an ordered list. */
export interface ListedMail {
  readonly uid: number;
  /** Depth in its thread, in lists by thread; else 0. */
  readonly level: number;
}

/** A mail of a conversation, of the folder or of the one for sent mail. */
export interface ConversationMail extends ThreadedMail {
  readonly uid: number;
  readonly isSent: boolean;
  /** ms UTC. */
  readonly received: number;
}

const collator = new Intl.Collator(undefined, { sensitivity: 'base', numeric: false });
const THREAD_HEADERS = ['Message-ID', 'References', 'In-Reply-To'];

/** Lists of mails in order: by the server where it can, else here. */
@Injectable()
export class MailListing {
  constructor(private readonly properties: Properties) {}

  /** A part of the matching mails of the selected folder in order. */
  async listPage(
    user: UserPrincipal,
    session: ImapSession,
    { column, descending }: MailOrder,
    criteria: readonly ImapToken[],
    window: ListWindow | undefined,
    most: number,
  ): Promise<readonly ListedMail[]> {
    if (column === 'thread') return cut(await this.listThreaded(user, session, descending, criteria), window, most);
    // Nothing is done for each mail of the folder.
    const ascending = await this.listAscending(user, session, column, criteria);
    const uids = descending ? cutReversed(ascending, window, most) : cut(ascending, window, most);
    return uids.map((uid) => ({ uid, level: 0 }));
  }

  /** Matching mails of the selected folder, each behind what it answers. */
  private async listThreaded(
    user: UserPrincipal,
    session: ImapSession,
    descending: boolean,
    criteria: readonly ImapToken[],
  ): Promise<readonly ListedMail[]> {
    const ranks = toRanks(await this.listUids(user, session, { column: 610, descending }, criteria));
    const threads = await session.listThreads(criteria);
    const found = threads
      ? threads.map(flattenThread)
      : groupByReferences(await this.readThreadedMails(user, session, [...ranks.keys()], false)).map((group) =>
          group.map(({ uid }, index) => ({ uid, level: Math.min(index, 1) })),
        );
    const rankOf = (mails: readonly ListedMail[]) =>
      mails.reduce((least, { uid }) => Math.min(least, ranks.get(uid) ?? Infinity), Infinity);
    return found
      .map((mails) => ({ mails, rank: rankOf(mails) }))
      .sort((a, b) => a.rank - b.rank)
      .flatMap(({ mails }) => mails);
  }

  /** Ids of matching mails of the selected folder in order. Descending is the exact reverse of ascending. */
  async listUids(
    user: UserPrincipal,
    session: ImapSession,
    { column, descending }: { readonly column: number; readonly descending: boolean },
    criteria: readonly ImapToken[],
  ): Promise<readonly number[]> {
    const ascending = await this.listAscending(user, session, column, criteria);
    return descending ? [...ascending].reverse() : ascending;
  }

  /** Mails of the selected folder with what conversations are made of; of more than the limit the newest. */
  async readThreadedMails(
    user: UserPrincipal,
    session: ImapSession,
    uids: readonly number[],
    isSent: boolean,
  ): Promise<ConversationMail[]> {
    const most = await this.properties.get(MAX_SORTED_MAILS, user);
    const messages = await session.fetch(newest(uids, most), {
      uid: true,
      internalDate: true,
      headers: THREAD_HEADERS,
    });
    const found: ConversationMail[] = [];
    for (const { uid, headers: block, internalDate } of messages) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      const headers = new MailHeaders(block);
      const messageId = parseReferences(headers.getRaw('Message-ID'))[0];
      const named = parseReferences(headers.getRaw('References'));
      // In-Reply-To counts only without References (RFC 5256, section 3, REFERENCES).
      const references = named.length > 0 ? named : parseReferences(headers.getRaw('In-Reply-To')).slice(0, 1);
      found.push({
        uid,
        isSent,
        received: internalDate ? new Date(internalDate).getTime() : 0,
        ...(messageId === undefined ? {} : { messageId }),
        references: references.filter((reference) => reference !== messageId),
      });
    }
    return found;
  }

  private async listAscending(
    user: UserPrincipal,
    session: ImapSession,
    column: number,
    criteria: readonly ImapToken[],
  ): Promise<readonly number[]> {
    if (column === 600) return session.listUids(criteria);
    const flag = FLAG_SORTS[column];
    if (flag) {
      const arrival = await this.listAscending(user, session, 610, criteria);
      const flagged = new Set(await session.listUids([...flag.map(atom), ...criteria]));
      return [...arrival.filter((uid) => !flagged.has(uid)), ...arrival.filter((uid) => flagged.has(uid))];
    }
    if (column === 102) return this.listByColor(user, session, criteria);
    if (column === 602 || !session.can('SORT')) return this.sortHere(user, session, column, criteria);
    return session.listUids(criteria, findSortKey(column, session.can('SORT=DISPLAY')));
  }

  private async listByColor(user: UserPrincipal, session: ImapSession, criteria: readonly ImapToken[]) {
    const arrival = await this.listAscending(user, session, 610, criteria);
    const colors = new Map<number, number>();
    for (const [index, keyword] of COLOR_KEYWORDS.entries())
      for (const uid of await session.listUids([atom('KEYWORD'), atom(keyword), ...criteria]))
        colors.set(uid, index + 1);
    return [...arrival].sort((a, b) => (colors.get(a) ?? 0) - (colors.get(b) ?? 0));
  }

  /** Sorts the newest mails, up to the limit, by what is fetched of them; older ones come before, by id. */
  private async sortHere(
    user: UserPrincipal,
    session: ImapSession,
    column: number,
    criteria: readonly ImapToken[],
  ): Promise<readonly number[]> {
    const all = await session.listUids(criteria);
    const most = await this.properties.get(MAX_SORTED_MAILS, user);
    const some = newest(all, most);
    const headers = HEADER_OF[column];
    const messages = await session.fetch(some, {
      uid: true,
      internalDate: true,
      ...(column === 608 && { size: true }),
      ...(column === 602 && { bodyStructure: true }),
      ...(headers && { headers: [headers] }),
    });
    const keyed = messages.map((message) => ({
      uid: message.uid,
      received: message.internalDate ? new Date(message.internalDate).getTime() : 0,
      key:
        column === 608
          ? (message.size ?? 0)
          : column === 602
            ? Number(message.bodyStructure !== undefined && hasAttachments(fromBodyStructure(message.bodyStructure)))
            : headers
              ? toSortText(column, new MailHeaders(message.headers))
              : 0,
    }));
    keyed.sort(
      (a, b) =>
        (typeof a.key === 'string' ? collator.compare(a.key, String(b.key)) : a.key - Number(b.key)) ||
        a.received - b.received ||
        a.uid - b.uid,
    );
    return [...all.slice(0, all.length - some.length), ...keyed.map(({ uid }) => uid)];
  }
}

const HEADER_OF: Readonly<Record<number, string>> = { 603: 'From', 604: 'To', 605: 'Cc', 607: 'Subject', 609: 'Date' };

function toSortText(column: number, headers: MailHeaders): string | number {
  const name = HEADER_OF[column]!;
  if (column === 609) return headers.getDate() ?? 0;
  if (column === 607) return toBaseSubject(headers.getText(name));
  const [personal, address] = headers.getAddresses(name)[0] ?? [null, ''];
  return personal ?? address;
}

const newest = (uids: readonly number[], most: number): readonly number[] =>
  uids.length <= most ? uids : [...uids].sort((a, b) => a - b).slice(-most);

/** Positions by id. */
export const toRanks = (uids: readonly number[]): Map<number, number> =>
  new Map(uids.map((uid, index) => [uid, index]));
