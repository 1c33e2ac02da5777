import {
  advertisementConfig,
  MAX_ADVERTISEMENT_PACKAGES,
  RequestErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';
import { DEFAULT_PACKAGE } from '../domain/package-name';

/** Sets or removes packages of a reseller; anything but an array is the configuration of its package `default`. */
@Handles(advertisementConfig.putAdvertisementByReseller)
export class PutAdvertisementByResellerHandler implements Handler<
  typeof advertisementConfig.putAdvertisementByReseller
> {
  constructor(private readonly advertisements: Advertisements) {}

  handle({ query, body }: CallOf<typeof advertisementConfig.putAdvertisementByReseller>) {
    const entries: unknown[] = Array.isArray(body) ? body : [{ package: DEFAULT_PACKAGE, config: body }];
    if (entries.length > MAX_ADVERTISEMENT_PACKAGES)
      throw RequestErrors.badBodyData(`more than ${MAX_ADVERTISEMENT_PACKAGES} elements`);
    return this.advertisements.putReseller(query.reseller, entries);
  }
}
