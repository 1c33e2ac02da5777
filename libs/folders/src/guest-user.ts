import { ALL_GUESTS, listGuestCapabilities, type Tenant, type UserPrincipal } from '@groupware/contracts';

/** Creates a guest as a reader without a session, for an answer of its own. */
export const createGuestUser = ({ contextId }: Tenant, guestId: number): UserPrincipal => ({
  kind: 'user',
  ...{ contextId, userId: guestId, groups: [ALL_GUESTS], capabilities: listGuestCapabilities(), guest: true },
  ...{ locale: 'en_US', timeZone: 'UTC', login: `guest-${guestId}`, displayName: '', email: '', sessionId: '' },
});
