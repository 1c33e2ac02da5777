import { Injectable } from '@nestjs/common';
import { DAV_REQUESTS_PER_ADDRESS, DAV_REQUESTS_PER_TOKEN } from '@groupware/contracts';
import { clientNetwork, Properties } from '@groupware/service-kit';
import { SessionStore, type AttemptLimiter } from '@groupware/sessions';

const MINUTE_MS = 60_000;

/** Limits attempts of devices, across processes. */
@Injectable()
export class DavClientLimits {
  private readonly limiter: AttemptLimiter<'address' | 'token'>;

  constructor(store: SessionStore, properties: Properties) {
    const windowMs = MINUTE_MS;
    this.limiter = store.attemptLimiter({
      name: 'dav',
      limits: {
        address: { points: () => properties.serverValue(DAV_REQUESTS_PER_ADDRESS), windowMs },
        token: { points: () => properties.serverValue(DAV_REQUESTS_PER_TOKEN), windowMs },
      },
    });
  }

  /** Counts a set-up, also one that goes well, before anything is looked up. @throws SVL-0019 with Retry-After */
  async countSetUp(address: string, token: string): Promise<void> {
    await this.limiter.attempt({ address: clientNetwork(address), token }, () => undefined);
  }

  /** Answers what the check of credentials finds; undefined for wrong ones, which count. @throws SVL-0019 with Retry-After */
  async attempt<T>(address: string, check: () => Promise<T | undefined>): Promise<T | undefined> {
    return (await this.limiter.attempt({ address: clientNetwork(address) }, check)).found;
  }
}
