import { advertisementConfig, jsonText, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Reads the preview of a user, given by login name. */
@Handles(advertisementConfig.getAdvertisementByName)
export class GetAdvertisementByNameHandler implements Handler<typeof advertisementConfig.getAdvertisementByName> {
  constructor(private readonly advertisements: Advertisements) {}

  async handle({ query }: CallOf<typeof advertisementConfig.getAdvertisementByName>) {
    return jsonText(await this.advertisements.getPreview(query));
  }
}
