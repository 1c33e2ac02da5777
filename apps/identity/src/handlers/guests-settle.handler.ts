import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestLinks } from '../guests/guest-links';

/** The rights of guests are written. */
@Handles(guests.settle)
export class SettleGuestsHandler implements Handler<typeof guests.settle> {
  constructor(private readonly links: GuestLinks) {}

  async handle({ principal, query }: CallOf<typeof guests.settle>): Promise<boolean> {
    await this.links.settle(principal, query.ids);
    return true;
  }
}
