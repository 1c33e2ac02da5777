import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestLinks } from '../guests/guest-links';

/** Marks the permissions of guests as written. */
@Handles(guests.settle)
export class SettleGuestsHandler implements Handler<typeof guests.settle> {
  constructor(private readonly links: GuestLinks) {}

  async handle({ principal, query }: CallOf<typeof guests.settle>): Promise<boolean> {
    await this.links.settleGuests(principal, query.ids);
    return true;
  }
}
