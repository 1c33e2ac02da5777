import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestLinks } from '../guests/guest-links';

/** Finds the link of a folder. */
@Handles(guests.link)
export class GuestLinkHandler implements Handler<typeof guests.link> {
  constructor(private readonly links: GuestLinks) {}

  handle({ principal, query }: CallOf<typeof guests.link>) {
    return this.links.findLink(principal, query);
  }
}
