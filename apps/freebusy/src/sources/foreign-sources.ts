import { Injectable } from '@nestjs/common';
import type { Tenant } from '@groupware/contracts';
import { ExpiringCache } from '@groupware/directory';
import { WebClient } from '@groupware/outbound';
import { Clock, Logger } from '@groupware/service-kit';
import type { Range } from '../domain/boundary';
import type { Period } from '../domain/period';
import { SourceConfig } from './source.config';
import { type Feed, periodsWithin, readFeed } from './feed';

/** A calendar elsewhere that tells when somebody is busy. */
export interface ForeignSource {
  readonly url: string;
  /** Zone of whole days and floating times. */
  readonly zone: string;
}

/** Its periods; undefined when it can't be reached or is not understood. */
export type ForeignPeriods = readonly Period[] | undefined;

const log = Logger.for('freebusy.sources');

/**
 * Asks calendars elsewhere, through the outbound guard: a bounded number for one question, a few at a time, each with a limit of time and
 * size. Answers and failures are kept for a while, and what is asked for twice at once is fetched once.
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

  /** Periods of sources in their order. Those beyond the most for one question are as if they were down. */
  async periods(tenant: Tenant, sources: readonly ForeignSource[], range: Range): Promise<ForeignPeriods[]> {
    const urls = [...new Set(sources.map(({ url }) => url))].slice(0, this.config.maxSources);
    const feeds = new Map(await Promise.all(urls.map(async (url) => [url, await this.feed(tenant, url)] as const)));
    return sources.map(({ url, zone }) => {
      const feed = feeds.get(url);
      return feed && periodsWithin(feed, zone, range, this.config.sourceMaxEntries);
    });
  }

  private feed(tenant: Tenant, url: string): Promise<Feed | undefined> {
    // What one tenant may ask for tells others nothing.
    const key = `${tenant.contextId} ${url}`;
    const now = this.clock.now();
    const known = this.known.get(key, now);
    if (known) return Promise.resolve(known.feed);
    if (this.failed.get(key, now)) return Promise.resolve(undefined);
    let fetching = this.underway.get(key);
    if (!fetching) {
      fetching = this.fetch(tenant, url)
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

  private async fetch(tenant: Tenant, url: string): Promise<Feed | undefined> {
    const until = this.clock.now() + this.config.sourceTimeoutMs;
    await this.turn();
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
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      const feed = await readFeed(answer.body, { maxEntries: this.config.sourceMaxEntries });
      if (!feed) throw new Error('no calendar');
      return feed;
    } catch (error) {
      // Addresses of feeds may hold secrets: only the host is told.
      log.warn({ host: hostOf(url), reason: String(error) }, 'calendar elsewhere does not answer');
      return undefined;
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  /** Waits until fewer than the most are under way. */
  private async turn(): Promise<void> {
    while (this.running >= this.config.sourceParallel) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running += 1;
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
