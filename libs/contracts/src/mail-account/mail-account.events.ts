import { event, eventCatalog } from '../kit';

/** Events of the mail account service. */
export const mailAccountEvents = eventCatalog('mail-account', {
  'account.created': event<{ userId: number; id: number }>('A mail account exists'),
  'account.changed': event<{ userId: number; id: number }>('Data of a mail account changed: connections are stale'),
  'account.deleted': event<{ userId: number; id: number }>('A mail account is gone'),
});
