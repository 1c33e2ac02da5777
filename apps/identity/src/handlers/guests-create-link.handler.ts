import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestLinks } from '../guests/guest-links';

/** Creates the anonymous guest of a folder. */
@Handles(guests.createLink)
export class CreateGuestLinkHandler implements Handler<typeof guests.createLink> {
  constructor(private readonly links: GuestLinks) {}

  handle({ principal, query }: CallOf<typeof guests.createLink>) {
    return this.links.createLink(principal, principal.user?.userId ?? 0, query);
  }
}
