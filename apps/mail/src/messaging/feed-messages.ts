import { createHash } from 'node:crypto';
import { MessagingErrors, type MessagingMessage, type UserPrincipal } from '@groupware/contracts';
import type { FeedItem } from '@groupware/mail-content';
import { Injectable } from '@nestjs/common';
import { NewsFeeds } from '../feeds/news-feeds';
import { parseMessagingFolder, toFeedFolder, type FeedConfiguration } from '../domain/messaging-service';
import { MessagingAccountBook } from './messaging-account-book';

/** Most messages of a folder: a feed lists its newest items first. */
const MOST_ITEMS = 100;
/** Of a message that is neither urgent nor unimportant. */
const NORMAL_PRIORITY = 3;

/** Reads news feeds as folders of messages. */
@Injectable()
export class FeedMessages {
  constructor(
    private readonly accounts: MessagingAccountBook,
    private readonly feeds: NewsFeeds,
  ) {}

  /** Messages of a folder in the order of its feed. @throws MESSAGING-0004, MESSAGING-0007, MESSAGING-0015, RSS-0003 to RSS-0008 */
  async listMessages(user: UserPrincipal, folder: string): Promise<MessagingMessage[]> {
    const { service, account } = parseMessagingFolder(folder);
    const { configuration } = await this.accounts.getAccount(user, service.id, account);
    const { url } = configuration as FeedConfiguration;
    const { items, imageUrl } = await this.feeds.readFeed(user, url, MOST_ITEMS, true);
    return items.map((item) => toMessage(item, toFeedFolder(account), imageUrl));
  }

  /** @throws as {@link listMessages}, MESSAGING-0025 */
  async getMessage(user: UserPrincipal, folder: string, id: string): Promise<MessagingMessage> {
    const found = (await this.listMessages(user, folder)).find((message) => message.id === id);
    if (!found) throw MessagingErrors.messageNotFound(id, folder);
    return found;
  }
}

/** Feeds need not give their items ids: the same item has the same one each time that it is read. */
const toId = ({ url, title, date }: FeedItem): string =>
  createHash('sha256')
    .update(JSON.stringify([url, title, date ?? null]))
    .digest('hex')
    .slice(0, 32);

const toMessage = (item: FeedItem, folder: string, picture: string): MessagingMessage => ({
  id: toId(item),
  folder,
  threadLevel: 0,
  flags: 0,
  receivedDate: item.date ?? null,
  colorLabel: 0,
  user: [],
  size: Buffer.byteLength(item.body),
  picture,
  url: item.url,
  headers: {
    Subject: item.title,
    ...(item.author && { From: { address: item.author, personal: item.author } }),
    'Content-Type': { type: 'text/html', params: { charset: 'UTF-8' } },
  },
  body: item.body,
});

/** Values of columns by name. */
const COLUMNS: Readonly<Record<string, (message: MessagingMessage) => unknown>> = {
  id: ({ id }) => id,
  folder: ({ folder }) => folder,
  from: ({ headers }) => (headers.From as { address: string } | undefined)?.address ?? null,
  to: () => null,
  cc: () => null,
  bcc: () => null,
  headers: ({ headers }) => headers,
  subject: ({ headers }) => headers.Subject,
  body: ({ body }) => body,
  contentType: () => 'text/html',
  size: ({ size }) => size,
  sentDate: ({ receivedDate }) => receivedDate,
  receivedDate: ({ receivedDate }) => receivedDate,
  flags: ({ flags }) => flags,
  threadLevel: ({ threadLevel }) => threadLevel,
  dispositionNotificationTo: () => null,
  priority: () => NORMAL_PRIORITY,
  colorLabel: ({ colorLabel }) => colorLabel,
  url: ({ url }) => url,
  picture: ({ picture }) => picture,
  user: ({ user }) => user,
};

/** Columns by which messages may be sorted. */
const SORTED = new Set(['from', 'subject', 'size', 'sentDate', 'receivedDate', 'url', 'folder', 'id']);

/** The columns of a list. @throws MESSAGING-0017 for a name that there is not */
export function requireColumns(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !Object.hasOwn(COLUMNS, name));
  if (unknown !== undefined) throw MessagingErrors.badParameter('columns', unknown);
  return names;
}

/** A message as a row of columns. */
export const toRow = (message: MessagingMessage, columns: readonly string[]): unknown[] =>
  columns.map((name) => COLUMNS[name]!(message));

/** Messages in an order; those without a value stand at the end of an ascending one. @throws MESSAGING-0023 */
export function sortMessages(
  messages: readonly MessagingMessage[],
  column = 'receivedDate',
  order = 'desc',
): MessagingMessage[] {
  if (!SORTED.has(column)) throw MessagingErrors.badSorting(column);
  const valueOf = (message: MessagingMessage) => COLUMNS[column]!(message) as string | number | null;
  const sign = order.toLowerCase() === 'asc' ? 1 : -1;
  return [...messages].sort((one, other) => sign * compareValues(valueOf(one), valueOf(other)));
}

function compareValues(one: string | number | null, other: string | number | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return typeof one === 'number' ? one - Number(other) : one.localeCompare(String(other));
}
