import { ALL_GUESTS, type Tenant, type UserPrincipal } from '@groupware/contracts';
import { SHARE_FOLDERS } from './domain/rights';

/** Creates a guest as a reader without a session, for an answer of its own. */
export const createGuestUser = ({ contextId }: Tenant, guestId: number): UserPrincipal => ({
  kind: 'user',
  ...{ contextId, userId: guestId, groups: [ALL_GUESTS], capabilities: [SHARE_FOLDERS], guest: true },
  ...{ locale: 'en_US', timeZone: 'UTC', login: `guest-${guestId}`, displayName: '', email: '', sessionId: '' },
});
