import { advertisementConfig, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Removes the preview of a user, given by login name. */
@Handles(advertisementConfig.deleteAdvertisementByName)
export class DeleteAdvertisementByNameHandler implements Handler<typeof advertisementConfig.deleteAdvertisementByName> {
  constructor(private readonly advertisements: Advertisements) {}

  handle({ query }: CallOf<typeof advertisementConfig.deleteAdvertisementByName>) {
    return this.advertisements.removePreview(query);
  }
}
