import { advertisementConfig, jsonText, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Reads the preview of a user. */
@Handles(advertisementConfig.getAdvertisementByUserId)
export class GetAdvertisementByUserIdHandler implements Handler<typeof advertisementConfig.getAdvertisementByUserId> {
  constructor(private readonly advertisements: Advertisements) {}

  async handle({ query }: CallOf<typeof advertisementConfig.getAdvertisementByUserId>) {
    return jsonText(await this.advertisements.getPreview(query));
  }
}
