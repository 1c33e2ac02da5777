import { action, allowCallers, defineModule, errorCatalog, Field, json, PASSWORD_SCOPE, property, value } from '../kit';

/** Errors of news feeds (API page "Errors", prefix RSS). */
export const RssErrors = errorCatalog('RSS', {
  noFeed: { number: 3, category: 'USER_INPUT', message: 'There is no news feed at %1.' },
  httpError: { number: 4, category: 'SERVICE_DOWN', message: 'The server answered %1 for %2.' },
  timeout: { number: 5, category: 'SERVICE_DOWN', message: 'The server of %1 did not answer in time.' },
  tooLarge: { number: 6, category: 'USER_INPUT', message: 'The news feed is larger than %1 bytes.' },
  unreachable: { number: 7, category: 'USER_INPUT', message: 'No connection to %1 is possible.' },
  noSecureConnection: { number: 8, category: 'ERROR', message: 'No secure connection to %1 is possible.' },
});

/** Largest news feed. */
export const MAX_FEED_BYTES = property<number>({
  key: 'com.example.messaging.rss.feed.size',
  default: 4_194_304,
  min: 1024,
  max: 10_485_760,
  doc: 'Largest news feed, bytes',
  scopes: ['context', 'server'],
});

const feedUrl = (optional: boolean) =>
  Field.listOf('text', { doc: 'Addresses of feeds, http or https', optional, maxItems: 20 });

/** Which news, and how. */
export class RssQuery {
  @feedUrl(true) feedUrl?: string[];
  @Field.int({ doc: 'Most items of each feed; default 10', optional: true, min: 1, max: 100 }) limit?: number;
  @Field.text({
    doc: 'date, or source: by the order of the feeds; default date',
    optional: true,
    values: ['date', 'source'],
  })
  sort?: string;
  @Field.text({ doc: 'Default: the newest first', optional: true, values: ['asc', 'desc', 'ASC', 'DESC'] })
  order?: string;
  @Field.boolean({ doc: 'Leave pictures out; default true', optional: true }) drop_images?: boolean;
}

/** Feeds in the body. */
export class RssBody {
  @feedUrl(true) feedUrl?: string[];
}

/** An item of a feed. */
export interface RssItem {
  readonly url: string;
  readonly feedUrl: string;
  readonly feedTitle: string;
  readonly imageUrl: string;
  readonly author: string;
  readonly subject: string;
  /** ms UTC; null where the item has none. */
  readonly date: number | null;
  /** HTML that runs nothing. */
  readonly body: string;
  readonly format: 'text/html';
}

const read = {
  access: allowCallers('news that anybody may read'),
  auth: 'session',
  appScopes: [PASSWORD_SCOPE],
  action: null,
  query: RssQuery,
  reply: value<RssItem[]>('items of all feeds; feeds that could not be read are told by warnings'),
  reads: true,
  deadlineMs: 60_000,
  errors: [
    RssErrors.noFeed,
    RssErrors.httpError,
    RssErrors.timeout,
    RssErrors.tooLarge,
    RssErrors.unreachable,
    RssErrors.noSecureConnection,
  ],
} as const;

/** News feeds, for tiles of the client's portal. The module has no actions. */
export const rss = defineModule(
  'rss',
  {
    read: action({
      ...read,
      http: 'GET',
      doc: 'Reads news feeds. One that cannot be read fails the call only when it is the only one',
    }),
    readByPut: action({
      ...read,
      http: 'PUT',
      doc: 'The same, with the addresses in the body or the query',
      body: json(RssBody, { required: false }),
    }),
  },
  { service: 'mail' },
);
