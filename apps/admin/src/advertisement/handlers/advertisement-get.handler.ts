import { advertisement, jsonText, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Advertisements } from '../advertisements';

/** `advertisement?action=get`: what a client shows to the user. */
@Handles(advertisement.get)
export class AdvertisementGetHandler implements Handler<typeof advertisement.get> {
  constructor(private readonly advertisements: Advertisements) {}

  async handle({ principal }: CallOf<typeof advertisement.get>) {
    return jsonText(await this.advertisements.getForUser(principal));
  }
}
