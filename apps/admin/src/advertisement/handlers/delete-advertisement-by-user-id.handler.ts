import { advertisementConfig, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Removes the preview of a user. */
@Handles(advertisementConfig.deleteAdvertisementByUserId)
export class DeleteAdvertisementByUserIdHandler implements Handler<
  typeof advertisementConfig.deleteAdvertisementByUserId
> {
  constructor(private readonly advertisements: Advertisements) {}

  handle({ query }: CallOf<typeof advertisementConfig.deleteAdvertisementByUserId>) {
    return this.advertisements.removePreview(query);
  }
}
