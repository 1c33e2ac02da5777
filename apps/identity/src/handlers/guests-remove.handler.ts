import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestLinks } from '../guests/guest-links';

/** Removes guests. */
@Handles(guests.remove)
export class RemoveGuestsHandler implements Handler<typeof guests.remove> {
  constructor(private readonly links: GuestLinks) {}

  async handle({ principal, query }: CallOf<typeof guests.remove>): Promise<boolean> {
    await this.links.removeGuests(principal, query.ids);
    return true;
  }
}
