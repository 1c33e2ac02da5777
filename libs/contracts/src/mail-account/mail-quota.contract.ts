import { action, allowCallers, defineModule, one, PASSWORD_SCOPE } from '../kit';
import { quotaOwner } from '../quota/quota-owner.contract';
import { QuotaData } from '../quota/quota.contract';
import { MailConnectionErrors } from './mail-account.errors';

/** Servers of primary accounts tell what mailboxes use. */
export const mailQuota = quotaOwner('mail-account', ['mail']);

/** Space of the mailbox of the primary account. */
export const mailSpace = defineModule(
  'quota',
  {
    mail: action({
      access: allowCallers('the mailbox of the user of the session'),
      appScopes: ['read_mail', PASSWORD_SCOPE],
      capability: 'webmail',
      http: 'GET',
      doc: 'Space that the mailbox of the primary account uses, and its limit, as its server tells them; -1: unknown',
      reply: one(QuotaData),
      auth: 'session',
      errors: [MailConnectionErrors.pingFailed, MailConnectionErrors.badCredentials],
    }),
  },
  { service: 'mail-account' },
);
