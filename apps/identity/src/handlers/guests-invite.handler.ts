import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestLinks } from '../guests/guest-links';

/** Finds or creates the guest a user invites by an address. */
@Handles(guests.invite)
export class InviteGuestHandler implements Handler<typeof guests.invite> {
  constructor(private readonly links: GuestLinks) {}

  handle({ principal, query }: CallOf<typeof guests.invite>) {
    return this.links.inviteGuest(principal, principal.user?.userId ?? 0, query);
  }
}
