import { advertisementConfig, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Sets the preview of a user. */
@Handles(advertisementConfig.putAdvertisementByUserId)
export class PutAdvertisementByUserIdHandler implements Handler<typeof advertisementConfig.putAdvertisementByUserId> {
  constructor(private readonly advertisements: Advertisements) {}

  handle({ query, body }: CallOf<typeof advertisementConfig.putAdvertisementByUserId>) {
    return this.advertisements.putPreview(query, body);
  }
}
