import { guests, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { GuestLinks } from '../guests/guest-links';

/** Tokens of guests. */
@Handles(guests.tokens)
export class GuestTokensHandler implements Handler<typeof guests.tokens> {
  constructor(private readonly links: GuestLinks) {}

  handle({ principal, query }: CallOf<typeof guests.tokens>) {
    return this.links.listTokens(principal, principal.user?.userId ?? 0, query.ids);
  }
}
