import { Injectable } from '@nestjs/common';
import type { Tenant } from '@groupware/contracts';
import { ExpiringCache } from '@groupware/directory';
import { WebClient } from '@groupware/outbound';
import { Clock, Logger } from '@groupware/service-kit';
import type { Range } from '../domain/boundary';
import type { Period } from '../domain/period';
import { SourceConfig } from './source.config';
import { type Feed, expandFeed, parseFeed } from './feed';

/** A foreign calendar with busy times. */
export interface ForeignSource {
  readonly url: string;
  /** Zone of whole days and floating times. */
  readonly zone: string;
}

/** Its periods; undefined when it is unreachable or malformed. */
export type ForeignPeriods = readonly Period[] | undefined;

const log = Logger.for('freebusy.sources');

/**
 * Fetches foreign calendars through the outbound guard: a bounded number per request, a few concurrently, each with
 * limits of time and size. Results and failures are cached, concurrent requests for one URL share a fetch.
 */
@Injectable()
export class ForeignSources {
  private readonly known: ExpiringCache<{ readonly feed?: Feed }>;
  private readonly failed: ExpiringCache<true>;
  private readonly underway = new Map<string, Promise<Feed | undefined>>();
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly web: WebClient,
    private readonly config: SourceConfig,
    private readonly clock: Clock,
  ) {
    this.known = new ExpiringCache(config.sourceCacheSeconds * 1000, config.sourceCacheEntries);
    this.failed = new ExpiringCache(config.sourceRetrySeconds * 1000, config.sourceCacheEntries);
  }

  /** Fetches periods of sources in order. Sources beyond the limit count as unreachable. */
  async fetchPeriods(tenant: Tenant, sources: readonly ForeignSource[], range: Range): Promise<ForeignPeriods[]> {
    const urls = [...new Set(sources.map(({ url }) => url))].slice(0, this.config.maxSources);
    const feeds = new Map(await Promise.all(urls.map(async (url) => [url, await this.getFeed(tenant, url)] as const)));
    const limits = { limit: this.config.sourceMaxEntries, maxSteps: this.config.sourceMaxSteps };
    const found: ForeignPeriods[] = [];
    for (const { url, zone } of sources) {
      const feed = feeds.get(url);
      found.push(feed && (await expandFeed(feed, zone, range, limits)));
    }
    return found;
  }

  private getFeed(tenant: Tenant, url: string): Promise<Feed | undefined> {
    // Cached per tenant, so that tenants cannot observe each other.
    const key = `${tenant.contextId} ${url}`;
    const now = this.clock.now();
    const known = this.known.get(key, now);
    if (known) return Promise.resolve(known.feed);
    if (this.failed.get(key, now)) return Promise.resolve(undefined);
    let fetching = this.underway.get(key);
    if (!fetching) {
      fetching = this.fetchFeed(tenant, url)
        .then((feed) => {
          if (feed) this.known.set(key, { feed }, this.clock.now());
          else this.failed.set(key, true, this.clock.now());
          return feed;
        })
        .finally(() => this.underway.delete(key));
      this.underway.set(key, fetching);
    }
    return fetching;
  }

  private async fetchFeed(tenant: Tenant, url: string): Promise<Feed | undefined> {
    const until = this.clock.now() + this.config.sourceTimeoutMs;
    await this.acquireSlot();
    try {
      const timeoutMs = until - this.clock.now();
      if (timeoutMs <= 0) return undefined;
      const answer = await this.web.fetch({
        url,
        purpose: 'free-busy',
        maxBytes: this.config.sourceMaxBytes,
        timeoutMs,
        allowPlain: this.config.sourceAllowPlain,
        onBehalfOf: `free-busy:${tenant.contextId}`,
        headers: { accept: 'text/calendar' },
      });
      // eslint-disable-next-line groupware/no-stray-errors -- caught below
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      const feed = await parseFeed(answer.body, { maxEntries: this.config.sourceMaxEntries });
      // eslint-disable-next-line groupware/no-stray-errors -- caught below
      if (!feed) throw new Error('no calendar');
      return feed;
    } catch (error) {
      // URLs of feeds may hold secrets: only the host is logged.
      log.warn({ host: parseHostName(url), reason: String(error) }, 'calendar elsewhere does not answer');
      return undefined;
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  /** Waits for a free slot. */
  private async acquireSlot(): Promise<void> {
    while (this.running >= this.config.sourceParallel) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running += 1;
  }
}

function parseHostName(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
