import { mail, mailFolders } from '@groupware/contracts';
import { GovernorSettings, ImapPool, ImapPoolSettings, MAIL_REDIS, MailAccessSettings } from '@groupware/mail-access';
import { ContentWorkers } from '@groupware/mail-content';
import { OutboundSettings } from '@groupware/outbound';
import { BasePathSettings, defineService, RedisSettings, SecretKeySettings } from '@groupware/service-kit';
import type { Redis } from 'ioredis';
import { MailContentSettings } from './content/mail-content-settings';
import { mailFolderHandlers } from './folders/owner-handlers';
import { providers } from './mail.parts';

/** The mail service. */
export const service = defineService({
  name: 'mail',
  contracts: [mail, mailFolders],
  config: [
    RedisSettings,
    SecretKeySettings,
    MailAccessSettings,
    GovernorSettings,
    ImapPoolSettings,
    OutboundSettings,
    BasePathSettings,
    MailContentSettings,
  ],
  directory: __dirname,
  handlers: mailFolderHandlers,
  providers,
  beforeClose: async (module) => {
    module.get(ImapPool, { strict: false }).close();
    await module.get(ContentWorkers, { strict: false }).close();
    module.get<Redis>(MAIL_REDIS, { strict: false }).disconnect();
  },
});
