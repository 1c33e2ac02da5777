import { advertisementConfig, jsonText, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Reads the configuration of a package. */
@Handles(advertisementConfig.getAdvertisementByPackage)
export class GetAdvertisementByPackageHandler implements Handler<typeof advertisementConfig.getAdvertisementByPackage> {
  constructor(private readonly advertisements: Advertisements) {}

  async handle({ query }: CallOf<typeof advertisementConfig.getAdvertisementByPackage>) {
    return jsonText(await this.advertisements.getPackage(query));
  }
}
