import {
  CalendarErrors,
  chronosAccounts,
  FeedErrors,
  type CalendarAccountProbe,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { readCalendarProperties, type CalendarProperties } from '@groupware/icalendar';
import { Handles, isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import { nameFeed } from '../feeds/feed-address';
import { FeedReader } from '../feeds/feed-reader';

const PROVIDER = 'ical';
/** So many bytes are looked at before others have their turn. */
const CHUNK_BYTES = 65_536;
const MINUTE_MS = 60_000;

/** `chronos/account?action=probe`: tries a calendar of the web. */
@Handles(chronosAccounts.probe)
export class ChronosAccountProbeHandler implements Handler<typeof chronosAccounts.probe> {
  constructor(private readonly feeds: FeedReader) {}

  async handle({ principal, body }: CallOf<typeof chronosAccounts.probe>): Promise<CalendarAccountProbe> {
    const provider = body['com.openexchange.calendar.provider'] ?? PROVIDER;
    if (provider !== PROVIDER) throw CalendarErrors.providerMissing(provider);
    const { password, ...config } = body['com.openexchange.calendar.config'] ?? {};
    const { url, bytes, charset } = await this.feeds.fetchFeed(principal, { ...config, password });
    const found = await readCalendarProperties(chunksOf(bytes), {
      charset,
      pause: () => (isTurnOver() ? yieldToEventLoop() : undefined),
    });
    if (!found) throw FeedErrors.noCalendar();
    const refreshInterval = config.refreshInterval ?? toMinutes(found.refreshMs);
    return {
      'com.openexchange.calendar.provider': provider,
      'com.openexchange.calendar.config': { ...config, ...(refreshInterval !== undefined && { refreshInterval }) },
      'com.openexchange.calendar.extendedProperties': {
        ...describeFeed(found),
        ...toObject(body['com.openexchange.calendar.extendedProperties']),
      },
      title: body.title || found.name || nameFeed(url),
    };
  }
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

const toMinutes = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.max(1, Math.round(ms / MINUTE_MS));

const toObject = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

function describeFeed({ description, color }: CalendarProperties): object {
  // Six digits of red, green and blue, followed by an opacity that calendars have not; or the name of a colour.
  const shown = /^(#[0-9a-f]{6})(?:[0-9a-f]{2})?$/i.exec(color ?? '')?.[1] ?? /^[a-z]{3,20}$/i.exec(color ?? '')?.[0];
  return {
    ...(description && { description: { value: description } }),
    ...(shown && { color: { value: shown } }),
  };
}
