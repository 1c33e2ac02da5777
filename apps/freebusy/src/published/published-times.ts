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
import { FreeBusy } from '../lookup/free-busy';

const WEEK_MS = 7 * 86_400_000;
const DEFAULT_PAST_WEEKS = 1;
const DEFAULT_FUTURE_WEEKS = 4;
const PROD_ID = '-//Groupware//Free Busy//EN';

/** Published busy times of users (VFREEBUSY). */
@Injectable()
export class PublishedTimes {
  constructor(
    private readonly people: Directory,
    private readonly freeBusy: FreeBusy,
    private readonly visibility: FreeBusyVisibility,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Whether publishing is enabled. */
  get isEnabled(): boolean {
    return this.properties.serverValue(INTERNET_FREE_BUSY);
  }

  /** Finds the page of a user; undefined when nothing is published, for whatever reason. */
  async findPage(query: InternetFreeBusyQuery): Promise<string | undefined> {
    const tenant = { contextId: query.contextId };
    const address = `${query.userName}@${query.server}`.toLowerCase();
    // All queries run in any case, so that timing does not reveal the reason.
    const [found, publishes, past, future] = await Promise.all([
      this.people.findByAddresses(tenant, [address]),
      this.properties.get(PUBLISH_FREE_BUSY, tenant),
      this.resolveWeeks(tenant, FREE_BUSY_PAST_WEEKS, query.weeksIntoPast ?? DEFAULT_PAST_WEEKS),
      this.resolveWeeks(tenant, FREE_BUSY_FUTURE_WEEKS, query.weeksIntoFuture ?? DEFAULT_FUTURE_WEEKS),
    ]);
    const entity = found.get(address);
    const owner = { ...tenant, userId: entity?.kind === 'user' ? entity.id : undefined };
    const [publishesOwn, hidden] = await Promise.all([
      this.properties.get(PUBLISH_FREE_BUSY, owner),
      // User 0 stands for an unknown user.
      this.visibility.listHiddenUsers(tenant, [owner.userId ?? 0]),
    ]);
    if (!entity || !publishes || !publishesOwn || hidden.has(entity.id)) return undefined;

    const now = this.clock.now();
    const range = { fromMs: now - past * WEEK_MS, untilMs: now + future * WEEK_MS };
    const periods = range.untilMs > range.fromMs ? await this.loadPeriods(tenant, entity.id, range) : [];
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

  private async loadPeriods(tenant: Tenant, id: number, range: { fromMs: number; untilMs: number }) {
    const [times] = await this.freeBusy.getTimes(tenant, {
      attendees: [{ text: String(id), id }],
      range,
      merge: false,
    });
    return times?.periods ?? [];
  }

  /** Truncates longer ranges instead of refusing them. */
  private async resolveWeeks(tenant: Tenant, maximum: Property<number>, asked: number): Promise<number> {
    const most = await this.properties.get(maximum, tenant);
    // Without maximum: a century, which the calendar can answer.
    return Math.min(asked, most < 0 ? 5_200 : most);
  }
}
