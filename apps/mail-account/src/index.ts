import {
  autoconfig,
  certificate,
  mailAccount,
  mailAccountAdministration,
  mailboxAccess,
  mailQuota,
  mailSession,
  mailSpace,
} from '@groupware/contracts';
import { GovernorSettings, MailAccessSettings } from '@groupware/mail-access';
import { OutboundSettings } from '@groupware/outbound';
import { defineService, RedisSettings, SecretKeySettings } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { AutoconfigConfig } from './autoconfig/autoconfig.config';
import { MailAccountConfig } from './configuration/mail-account.config';
import { migrations, providers } from './mail-account.parts';

/** The mail account service. */
export const service = defineService({
  name: 'mail-account',
  contracts: [
    mailAccount,
    mailAccountAdministration,
    autoconfig,
    certificate,
    mailSession,
    mailQuota,
    mailSpace,
    mailboxAccess,
  ],
  config: [
    MailAccountConfig,
    RedisSettings,
    SecretKeySettings,
    AutoconfigConfig,
    MailAccessSettings,
    GovernorSettings,
    OutboundSettings,
  ],
  directory: __dirname,
  migrations,
  providers,
  checks: (module) => ({ redis: () => module.get(SessionStore, { strict: false }).ping() }),
  beforeClose: async (module) => {
    await module.get(SessionStore, { strict: false }).close();
  },
});
