import { advertisementConfig, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** Sets the preview of a user, given by login name. */
@Handles(advertisementConfig.putAdvertisementByName)
export class PutAdvertisementByNameHandler implements Handler<typeof advertisementConfig.putAdvertisementByName> {
  constructor(private readonly advertisements: Advertisements) {}

  handle({ query, body }: CallOf<typeof advertisementConfig.putAdvertisementByName>) {
    return this.advertisements.putPreview(query, body);
  }
}
