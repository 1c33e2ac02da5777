import { advertisementConfig, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Sets the configuration of a package. */
@Handles(advertisementConfig.putAdvertisementByPackage)
export class PutAdvertisementByPackageHandler implements Handler<typeof advertisementConfig.putAdvertisementByPackage> {
  constructor(private readonly advertisements: Advertisements) {}

  handle({ query, body }: CallOf<typeof advertisementConfig.putAdvertisementByPackage>) {
    return this.advertisements.putPackage(query, body);
  }
}
