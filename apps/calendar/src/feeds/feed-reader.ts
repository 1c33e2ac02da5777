import {
  FeedErrors,
  MAX_CALENDAR_FEED_BYTES,
  type CalendarFeedConfig,
  type CatalogueError,
  type UserPrincipal,
} from '@groupware/contracts';
import { CertificateFailure, OutboundFailure, readHost, WebClient, type WebAnswer } from '@groupware/outbound';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { CalendarConfig } from '../calendar.config';
import { parseFeedAddress } from './feed-address';

/** A calendar of the web as it was read. */
export interface FeedFile {
  /** The address that was asked, before redirects. */
  readonly url: URL;
  readonly bytes: Uint8Array;
  readonly charset?: string;
  /** By which the server tells whether the file is still the same. */
  readonly validators: FeedValidators;
}

/** Headers of an answer by which a later one is compared with it. */
export interface FeedValidators {
  readonly etag: string | null;
  readonly modified: string | null;
}

/** How a calendar is read. */
export interface FeedReading {
  /** Those of the last file: only another one is read. */
  readonly validators?: FeedValidators;
  /** It fell due by itself: it does not count as an attempt of the user. */
  readonly isBackground?: boolean;
}

/** Longest header that is kept. */
const MAX_VALIDATOR = 1_024;

/** The cause of an error that does not go away: the server says that there is no calendar any more (410). */
export class FeedGone extends Error {
  constructor() {
    super('gone');
  }
}

/** On whose behalf a calendar is read. */
export type FeedUser = Pick<UserPrincipal, 'contextId' | 'userId'>;

/** Reads calendars of the web through the outbound guard, within limits of time and size. */
@Injectable()
export class FeedReader {
  constructor(
    private readonly web: WebClient,
    private readonly properties: Properties,
    private readonly config: CalendarConfig,
  ) {}

  /** The file at an address. @throws the errors of {@link FeedErrors} */
  async fetchFeed(user: FeedUser, config: CalendarFeedConfig): Promise<FeedFile> {
    return (await this.fetchChanges(user, config))!;
  }

  /** The same; undefined when it is the one that the validators are of. */
  async fetchChanges(
    user: FeedUser,
    { uri, login, password }: CalendarFeedConfig,
    { validators, isBackground }: FeedReading = {},
  ): Promise<FeedFile | undefined> {
    if (!uri) throw FeedErrors.addressMissing();
    const url = parseFeedAddress(uri);
    const maxBytes = await this.properties.get(MAX_CALENDAR_FEED_BYTES, { contextId: user.contextId });
    const hasLogin = Boolean(login || password);
    let answer: WebAnswer;
    try {
      answer = await this.web.fetch({
        url: url.href,
        purpose: 'calendar',
        maxBytes,
        timeoutMs: this.config.feedTimeoutMs,
        allowPlain: true,
        headers: {
          accept: 'text/calendar, */*;q=0.1',
          ...(validators?.etag && { 'if-none-match': validators.etag }),
          ...(validators?.modified && { 'if-modified-since': validators.modified }),
          ...(hasLogin && {
            authorization: `Basic ${Buffer.from(`${login ?? ''}:${password ?? ''}`).toString('base64')}`,
          }),
        },
        ...(!isBackground && { onBehalfOf: `${user.contextId}:${user.userId}` }),
      });
    } catch (error) {
      throw toFeedError(error, url, maxBytes);
    }
    if (answer.status === 304 && validators) return undefined;
    if (answer.status !== 200) throw toStatusError(answer.status, hasLogin);
    const charset = charsetOf(String(answer.headers['content-type'] ?? ''));
    return {
      url,
      bytes: answer.body,
      ...(charset && { charset }),
      validators: { etag: headerOf(answer, 'etag'), modified: headerOf(answer, 'last-modified') },
    };
  }
}

/** A header of an answer, unless it is absent or longer than anybody needs. */
function headerOf({ headers }: WebAnswer, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value.length <= MAX_VALIDATOR ? value : null;
}

function toStatusError(status: number, hasLogin: boolean): CatalogueError {
  if (status === 401) return hasLogin ? FeedErrors.loginWrong() : FeedErrors.loginRequired();
  if (status === 410) return FeedErrors.noCalendar().with({ cause: new FeedGone() });
  if (status === 404) return FeedErrors.noCalendar();
  if (status === 503) return FeedErrors.unavailable();
  if (status === 500) return FeedErrors.serverFailed();
  return FeedErrors.refused(status);
}

function toFeedError(error: unknown, url: URL, maxBytes: number): unknown {
  if (error instanceof CertificateFailure) return FeedErrors.unreachable().with({ cause: error });
  if (!(error instanceof OutboundFailure)) return error;
  if (error.reason === 'too-large') return FeedErrors.tooLarge(maxBytes).with({ cause: error });
  // Clients learn of names no more than that there is no connection: they would tell what is inside.
  if (isRefusedByText(error, url)) return FeedErrors.addressRefused().with({ cause: error });
  return FeedErrors.unreachable().with({ cause: error });
}

function isRefusedByText({ reason }: OutboundFailure, { hostname }: URL): boolean {
  if (reason === 'bad-url' || reason === 'bad-host' || reason === 'forbidden-port') return true;
  const host = readHost(hostname);
  return reason === 'forbidden-address' && (host === undefined || host.isAddress);
}

/** The encoding that a content type names, where it is one. */
function charsetOf(contentType: string): string | undefined {
  const label = /\bcharset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
