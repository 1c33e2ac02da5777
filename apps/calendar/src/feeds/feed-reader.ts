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
}

/** Reads calendars of the web through the outbound guard, within limits of time and size. */
@Injectable()
export class FeedReader {
  constructor(
    private readonly web: WebClient,
    private readonly properties: Properties,
    private readonly config: CalendarConfig,
  ) {}

  /** The file at an address. @throws the errors of {@link FeedErrors} */
  async fetchFeed(user: UserPrincipal, { uri, login, password }: CalendarFeedConfig): Promise<FeedFile> {
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
          ...(hasLogin && {
            authorization: `Basic ${Buffer.from(`${login ?? ''}:${password ?? ''}`).toString('base64')}`,
          }),
        },
        onBehalfOf: `${user.contextId}:${user.userId}`,
      });
    } catch (error) {
      throw toFeedError(error, url, maxBytes);
    }
    if (answer.status !== 200) throw toStatusError(answer.status, hasLogin);
    const charset = charsetOf(String(answer.headers['content-type'] ?? ''));
    return { url, bytes: answer.body, ...(charset && { charset }) };
  }
}

function toStatusError(status: number, hasLogin: boolean): CatalogueError {
  if (status === 401) return hasLogin ? FeedErrors.loginWrong() : FeedErrors.loginRequired();
  if (status === 404 || status === 410) return FeedErrors.noCalendar();
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
  return reason === 'forbidden-address' && (host === undefined || host.isAddress || /(^|\.)localhost$/.test(host.host));
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
