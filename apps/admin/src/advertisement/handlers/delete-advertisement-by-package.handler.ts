import { advertisementConfig, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Removes the configuration of a package. */
@Handles(advertisementConfig.deleteAdvertisementByPackage)
export class DeleteAdvertisementByPackageHandler implements Handler<
  typeof advertisementConfig.deleteAdvertisementByPackage
> {
  constructor(private readonly advertisements: Advertisements) {}

  handle({ query }: CallOf<typeof advertisementConfig.deleteAdvertisementByPackage>) {
    return this.advertisements.removePackage(query);
  }
}
