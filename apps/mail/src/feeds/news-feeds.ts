import {
  CatalogueError,
  MAX_FEED_BYTES,
  RequestErrors,
  RssErrors,
  type RssItem,
  type RssQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { ContentError, ContentWorkers, type Feed } from '@groupware/mail-content';
import { CertificateFailure, OutboundFailure, WebClient } from '@groupware/outbound';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const DEFAULT_ITEMS = 10;
/** So long a feed is taken for new, ms. */
const KEPT_MS = 300_000;
/** Most bytes of all feeds that are kept. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** News with what could not be read. */
export interface News {
  readonly items: RssItem[];
  readonly warnings: CatalogueError[];
}

/** Reads news feeds of the web. */
@Injectable()
export class NewsFeeds {
  /** Feeds by address and what is kept of them: all users see the same. */
  private readonly kept = new LRUCache<string, Feed>({
    ttl: KEPT_MS,
    maxSize: KEPT_BYTES,
    sizeCalculation: (feed) => JSON.stringify(feed).length,
  });

  constructor(
    private readonly web: WebClient,
    private readonly workers: ContentWorkers,
    private readonly properties: Properties,
  ) {}

  /** Items of feeds. @throws SVL-0002 without an address; the error of the feed when it is the only one */
  async readFeeds(user: UserPrincipal, addresses: readonly string[] | undefined, query: RssQuery): Promise<News> {
    const named = [...new Set(addresses)];
    if (named.length === 0) throw RequestErrors.missingParameter('feedUrl');
    const { limit = DEFAULT_ITEMS, drop_images: dropImages = true } = query;
    const warnings: CatalogueError[] = [];
    const found = await Promise.all(
      named.map(async (address): Promise<RssItem[]> => {
        try {
          return toItems(address, await this.readFeed(user, address, limit, dropImages));
        } catch (error) {
          if (named.length === 1 || !(error instanceof CatalogueError)) throw error;
          warnings.push(error);
          return [];
        }
      }),
    );
    return { items: sortItems(found.flat(), query), warnings };
  }

  /** A feed, fetched once for a while. @throws RSS-0003 to RSS-0008 */
  async readFeed(user: UserPrincipal, address: string, maxItems: number, dropImages: boolean): Promise<Feed> {
    const key = JSON.stringify([address, maxItems, dropImages]);
    const known = this.kept.get(key);
    if (known) return known;
    const { bytes, charset } = await this.fetchFeed(user, address);
    let feed: Feed;
    try {
      const { content } = await this.workers.runTask({
        kind: 'readFeed',
        text: { bytes, ...(charset && { charset }) },
        options: { maxItems, dropImages },
      });
      feed = JSON.parse(content) as Feed;
    } catch (cause) {
      if (cause instanceof ContentError) throw RssErrors.noFeed(address).with({ cause });
      throw cause;
    }
    this.kept.set(key, feed);
    return feed;
  }

  private async fetchFeed(
    user: UserPrincipal,
    address: string,
  ): Promise<{ readonly bytes: Uint8Array; readonly charset?: string }> {
    const maxBytes = await this.properties.get(MAX_FEED_BYTES, { contextId: user.contextId });
    try {
      const { status, headers, body } = await this.web.fetch({
        url: address,
        purpose: 'feed',
        maxBytes,
        allowPlain: true,
        headers: {
          accept: 'application/rss+xml, application/atom+xml, application/feed+json, text/xml;q=0.9, */*;q=0.1',
        },
        onBehalfOf: `${user.contextId}:${user.userId}`,
      });
      if (status >= 400) throw RssErrors.httpError(status, address);
      const charset = /\bcharset\s*=\s*"?([\w.:-]+)/i.exec(String(headers['content-type'] ?? ''))?.[1];
      return { bytes: body, ...(charset && { charset }) };
    } catch (error) {
      throw toRssError(error, address, maxBytes);
    }
  }
}

function toRssError(error: unknown, address: string, maxBytes: number): unknown {
  if (error instanceof CertificateFailure) return RssErrors.noSecureConnection(address).with({ cause: error });
  if (!(error instanceof OutboundFailure)) return error;
  if (error.reason === 'too-large') return RssErrors.tooLarge(maxBytes).with({ cause: error });
  if (error.reason === 'timeout') return RssErrors.timeout(address).with({ cause: error });
  if (error.reason === 'certificate') return RssErrors.noSecureConnection(address).with({ cause: error });
  return RssErrors.unreachable(address).with({ cause: error });
}

const toItems = (feedUrl: string, { title: feedTitle, imageUrl, items }: Feed): RssItem[] =>
  items.map(({ title, url, author, date, body }) => ({
    ...{ url, feedUrl, feedTitle, imageUrl, author },
    subject: title,
    date: date ?? null,
    body,
    format: 'text/html',
  }));

function sortItems(items: RssItem[], { sort = 'date', order }: RssQuery): RssItem[] {
  const isAscending = order?.toLowerCase() === 'asc';
  if (sort === 'source') return order?.toLowerCase() === 'desc' ? items.reverse() : items;
  const sign = isAscending ? 1 : -1;
  return items.sort((a, b) => sign * ((a.date ?? 0) - (b.date ?? 0)));
}
