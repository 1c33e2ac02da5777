import { MessagingErrors, type MessagingService } from '@groupware/contracts';

/** Most characters of the address of a feed. */
const MAX_ADDRESS = 2_048;

/** The service of news feeds. */
export const FEED_SERVICE: MessagingService = {
  id: 'com.example.messaging.rss',
  displayName: 'RSS Feed',
  formDescription: [{ widget: 'text', name: 'url', displayName: 'URL', mandatory: true }],
  messagingActions: [],
};

/** All messaging services. */
export const MESSAGING_SERVICES: readonly MessagingService[] = [FEED_SERVICE];

/** @throws MESSAGING-0015 */
export function requireService(id: string): MessagingService {
  const service = MESSAGING_SERVICES.find((each) => each.id === id);
  if (!service) throw MessagingErrors.unknownService(id);
  return service;
}

/** Configuration of an account of feeds. */
export interface FeedConfiguration extends Readonly<Record<string, unknown>> {
  /** http or https, without user name and password: it is stored as it is. */
  readonly url: string;
}

/** The configuration of an account as a client sent it. @throws MESSAGING-0016, MESSAGING-0017 */
export function parseConfiguration(configuration: unknown): FeedConfiguration {
  const { url } = Object(configuration) as { readonly url?: unknown };
  if (url === undefined || url === null || url === '') throw MessagingErrors.missingParameter('url');
  const address = typeof url === 'string' && url.length <= MAX_ADDRESS && URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^https?:$/.test(address.protocol) || address.username || address.password)
    throw MessagingErrors.badParameter('url', String(url).slice(0, 255));
  return { url: address.href };
}

/** A folder of an account. */
export interface MessagingFolder {
  readonly service: MessagingService;
  readonly account: number;
}

/** The folder of a text: `<service>://<account>/`; feeds have no other path. @throws MESSAGING-0007, MESSAGING-0015 */
export function parseMessagingFolder(text: string): MessagingFolder {
  const [, id, account, path] = /^([^:/]+):\/\/(\d{1,9})(\/.*)?$/.exec(text) ?? [];
  if (id === undefined || account === undefined) throw MessagingErrors.folderNotFound(text);
  const service = requireService(id);
  if ((path ?? '/') !== '/') throw MessagingErrors.folderNotFound(text);
  return { service, account: Number(account) };
}

/** The text of the only folder of an account of feeds. */
export const toFeedFolder = (account: number): string => `${FEED_SERVICE.id}://${account}/`;
