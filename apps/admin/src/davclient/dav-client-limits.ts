import { Injectable } from '@nestjs/common';
import { DAV_REQUESTS_PER_ADDRESS, DAV_REQUESTS_PER_TOKEN, RequestErrors } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { SessionStore, type RateLimiter } from '@groupware/sessions';

const MINUTE_MS = 60_000;

/** How often devices may try, over all processes. */
@Injectable()
export class DavClientLimits {
  private readonly addresses: RateLimiter;
  private readonly tokens: RateLimiter;

  constructor(store: SessionStore, properties: Properties) {
    const windowMs = MINUTE_MS;
    this.addresses = store.rateLimiter({
      name: 'dav-address',
      points: () => properties.serverValue(DAV_REQUESTS_PER_ADDRESS),
      windowMs,
    });
    this.tokens = store.rateLimiter({
      name: 'dav-token',
      points: () => properties.serverValue(DAV_REQUESTS_PER_TOKEN),
      windowMs,
    });
  }

  /** Counts a set-up, before anything is looked up. @throws SVL-0019 with Retry-After */
  async takeSetUp(address: string, token: string): Promise<void> {
    await this.addresses.consume(address);
    await this.tokens.consume(token);
  }

  /** Refuses an address that failed too often; counts nothing. @throws SVL-0019 with Retry-After */
  async checkAddress(address: string): Promise<void> {
    const wait = await this.addresses.waitSeconds(address);
    if (wait > 0) throw RequestErrors.tooManyRequests(wait).with({ headers: { 'Retry-After': String(wait) } });
  }

  /** Counts a failed log-in. */
  async failed(address: string): Promise<void> {
    await this.addresses.count(address);
  }
}
