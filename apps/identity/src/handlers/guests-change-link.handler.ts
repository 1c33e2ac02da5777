import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestLinks } from '../guests/guest-links';

/** Changes pin and expiry of a link. */
@Handles(guests.changeLink)
export class ChangeGuestLinkHandler implements Handler<typeof guests.changeLink> {
  constructor(private readonly links: GuestLinks) {}

  handle({ principal, query }: CallOf<typeof guests.changeLink>) {
    return this.links.updateLink(principal, query);
  }
}
