import { advertisementConfig, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Removes packages of a reseller. */
@Handles(advertisementConfig.deleteAdvertisementByReseller)
export class DeleteAdvertisementByResellerHandler implements Handler<
  typeof advertisementConfig.deleteAdvertisementByReseller
> {
  constructor(private readonly advertisements: Advertisements) {}

  handle({ query }: CallOf<typeof advertisementConfig.deleteAdvertisementByReseller>) {
    return this.advertisements.removeReseller(query.reseller);
  }
}
