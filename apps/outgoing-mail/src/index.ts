import { outgoingMail } from '@groupware/contracts';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { OutboundSettings } from '@groupware/outbound';
import { defineService, SecretKeySettings } from '@groupware/service-kit';
import { MailDelivery } from './delivery/mail-delivery';
import { OutgoingMailConfig } from './outgoing-mail.config';
import { migrations, providers } from './outgoing-mail.parts';

/** The service of mails of the system. */
export const service = defineService({
  name: 'outgoing-mail',
  contracts: [outgoingMail],
  config: [OutgoingMailConfig, SecretKeySettings, FileStoreSettings, OutboundSettings],
  directory: __dirname,
  migrations,
  providers,
  afterStart: (module) => {
    module.get(MailDelivery, { strict: false }).start();
    return Promise.resolve();
  },
  checks: (module) => ({ filestore: fileStoreCheck(module.get(FILES, { strict: false })) }),
  beforeClose: (module) => module.get(MailDelivery, { strict: false }).stop(),
});
