import { event, eventCatalog } from '../kit';

/** Events of the service of single sign-on. */
export const oauthAccountEvents = eventCatalog('sso', {
  'oauth-account.deleted': event<{ userId: number; id: number }>(
    'An account of a user with a service elsewhere is gone: what depends on it goes, too',
  ),
});
