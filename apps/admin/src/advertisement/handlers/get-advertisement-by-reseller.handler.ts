import { advertisementConfig, jsonText, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Reads packages of a reseller. */
@Handles(advertisementConfig.getAdvertisementByReseller)
export class GetAdvertisementByResellerHandler implements Handler<
  typeof advertisementConfig.getAdvertisementByReseller
> {
  constructor(private readonly advertisements: Advertisements) {}

  async handle({ query }: CallOf<typeof advertisementConfig.getAdvertisementByReseller>) {
    return jsonText(await this.advertisements.getReseller(query.reseller));
  }
}
