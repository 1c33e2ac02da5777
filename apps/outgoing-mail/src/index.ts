import { outgoingMail } from '@groupware/contracts';
import { OutboundSettings } from '@groupware/outbound';
import { defineService } from '@groupware/service-kit';
import { MailDelivery } from './delivery/mail-delivery';
import { OutgoingMailConfig } from './outgoing-mail.config';
import { migrations, providers } from './outgoing-mail.parts';

/** The service of mails of the system. */
export const service = defineService({
  name: 'outgoing-mail',
  contracts: [outgoingMail],
  config: [OutgoingMailConfig, OutboundSettings],
  directory: __dirname,
  migrations,
  providers,
  afterStart: (module) => {
    module.get(MailDelivery, { strict: false }).start();
    return Promise.resolve();
  },
  beforeClose: (module) => module.get(MailDelivery, { strict: false }).stop(),
});
