import {
  CALENDAR_FEEDS_ENABLED,
  CalendarErrors,
  chronosAccounts,
  FeedErrors,
  type CalendarAccountProbe,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { nameFeed } from '../feeds/feed-address';
import { describeFeed, FEED_PROVIDER, toFeedMinutes } from '../feeds/feed-description';
import { readFeedProperties } from '../feeds/feed-import';
import { FeedReader } from '../feeds/feed-reader';

/** `chronos/account?action=probe`: tries a calendar of the web. */
@Handles(chronosAccounts.probe)
export class ChronosAccountProbeHandler implements Handler<typeof chronosAccounts.probe> {
  constructor(
    private readonly feeds: FeedReader,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, body }: CallOf<typeof chronosAccounts.probe>): Promise<CalendarAccountProbe> {
    const provider = body['com.openexchange.calendar.provider'] ?? FEED_PROVIDER;
    const isEnabled = provider === FEED_PROVIDER && (await this.properties.get(CALENDAR_FEEDS_ENABLED, principal));
    if (!isEnabled) throw CalendarErrors.providerMissing(provider);
    const { password, ...config } = body['com.openexchange.calendar.config'] ?? {};
    const file = await this.feeds.fetchFeed(principal, { ...config, password });
    const found = await readFeedProperties(file);
    if (!found) throw FeedErrors.noCalendar();
    const refreshInterval = config.refreshInterval ?? toFeedMinutes(found.refreshMs);
    return {
      'com.openexchange.calendar.provider': provider,
      'com.openexchange.calendar.config': { ...config, ...(refreshInterval !== undefined && { refreshInterval }) },
      'com.openexchange.calendar.extendedProperties': {
        ...describeFeed(found),
        ...toObject(body['com.openexchange.calendar.extendedProperties']),
      },
      title: body.title || found.name || nameFeed(file.url),
    };
  }
}

const toObject = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
