import { mailAccount, mailAccountProvisioning } from '@groupware/contracts';
import { defineService } from '@groupware/service-kit';
import { MailAccountConfig } from './mail-account.config';
import { migrations, providers } from './mail-account.parts';

/** The mail account service. */
export const service = defineService({
  name: 'mail-account',
  contracts: [mailAccount, mailAccountProvisioning],
  config: MailAccountConfig,
  directory: __dirname,
  migrations,
  providers,
});
