import { mailFilter, mailFilterV2 } from '@groupware/contracts';
import { GovernorSettings, MAIL_REDIS, MailAccessSettings, SievePool } from '@groupware/mail-access';
import { OutboundSettings } from '@groupware/outbound';
import { defineService, RedisSettings, SecretKeySettings } from '@groupware/service-kit';
import { CallClaims } from '@groupware/sessions';
import type { Redis } from 'ioredis';
import { MailFilterSettings } from './mail-filter.config';
import { providers } from './mail-filter.parts';

/** The service of mail filters. */
export const service = defineService({
  name: 'mail-filter',
  contracts: [mailFilter, mailFilterV2],
  config: [
    RedisSettings,
    SecretKeySettings,
    MailAccessSettings,
    GovernorSettings,
    OutboundSettings,
    MailFilterSettings,
  ],
  directory: __dirname,
  providers,
  claims: (module) => module.get(CallClaims, { strict: false }),
  beforeClose: async (module) => module.get(SievePool, { strict: false }).close(),
  checks: (module) => ({ redis: async () => void (await module.get<Redis>(MAIL_REDIS, { strict: false }).ping()) }),
});
