import { Injectable } from '@nestjs/common';
import {
  FREE_BUSY_FUTURE_WEEKS,
  FREE_BUSY_PAST_WEEKS,
  INTERNET_FREE_BUSY,
  PUBLISH_FREE_BUSY,
  type InternetFreeBusyQuery,
  type Property,
  type Tenant,
} from '@groupware/contracts';
import { Directory, FreeBusyVisibility } from '@groupware/directory';
import { writeFreeBusy } from '@groupware/icalendar';
import { Clock, Properties } from '@groupware/service-kit';
import { createHash } from 'node:crypto';
import { FreeBusy } from './free-busy';

const WEEK_MS = 7 * 86_400_000;
const DEFAULT_PAST_WEEKS = 1;
const DEFAULT_FUTURE_WEEKS = 4;
const PROD_ID = '-//Groupware//Free Busy//EN';

/** The page that tells the internet when somebody is busy. */
@Injectable()
export class PublishedTimes {
  constructor(
    private readonly people: Directory,
    private readonly freeBusy: FreeBusy,
    private readonly visibility: FreeBusyVisibility,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** True when the page exists at all. */
  get isOn(): boolean {
    return this.properties.serverValue(INTERNET_FREE_BUSY);
  }

  /** The page; undefined when nothing is published under the name, whatever the reason. */
  async page(query: InternetFreeBusyQuery): Promise<string | undefined> {
    const tenant = { contextId: query.contextId };
    const address = `${query.userName}@${query.server}`.toLowerCase();
    // Everything is asked in any case, so that the time to answer does not tell why there is nothing.
    const [found, publishes, past, future] = await Promise.all([
      this.people.byAddress(tenant, [address]),
      this.properties.get(PUBLISH_FREE_BUSY, tenant),
      this.weeks(tenant, FREE_BUSY_PAST_WEEKS, query.weeksIntoPast ?? DEFAULT_PAST_WEEKS),
      this.weeks(tenant, FREE_BUSY_FUTURE_WEEKS, query.weeksIntoFuture ?? DEFAULT_FUTURE_WEEKS),
    ]);
    const entity = found.get(address);
    const owner = { ...tenant, userId: entity?.kind === 'user' ? entity.id : undefined };
    const [publishesOwn, hidden] = await Promise.all([
      this.properties.get(PUBLISH_FREE_BUSY, owner),
      // Of nobody (user 0) when there is no such user.
      this.visibility.hiddenUsers(tenant, [owner.userId ?? 0]),
    ]);
    if (!entity || !publishes || !publishesOwn || hidden.has(entity.id)) return undefined;

    const now = this.clock.now();
    const range = { fromMs: now - past * WEEK_MS, untilMs: now + future * WEEK_MS };
    const periods = range.untilMs > range.fromMs ? await this.periods(tenant, entity.id, range) : [];
    const shown = query.simple ? periods.filter(({ type }) => type !== 'FREE') : periods;
    return writeFreeBusy({
      prodId: PROD_ID,
      uid: createHash('sha256').update(`${tenant.contextId} ${address} ${now}`).digest('hex').slice(0, 32),
      nowMs: now,
      startMs: range.fromMs,
      endMs: range.untilMs,
      address: entity.email,
      periods: shown.map(({ startMs, endMs, type }) => ({ startMs, endMs, ...(query.simple ? {} : { type }) })),
    });
  }

  private async periods(tenant: Tenant, id: number, range: { fromMs: number; untilMs: number }) {
    const [times] = await this.freeBusy.times(tenant, { attendees: [{ text: String(id), id }], range, merge: false });
    return times?.periods ?? [];
  }

  /** Longer ranges are cut, not refused. */
  private async weeks(tenant: Tenant, maximum: Property<number>, asked: number): Promise<number> {
    const most = await this.properties.get(maximum, tenant);
    // No maximum: a century, which the calendar can answer.
    return Math.min(asked, most < 0 ? 5_200 : most);
  }
}
