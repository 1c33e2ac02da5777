import { pns, pushInput, pushMails, pushStreams, sessionAdministration, pushSecrets } from '@groupware/contracts';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { OutboundSettings } from '@groupware/outbound';
import { defineService, SecretKeySettings } from '@groupware/service-kit';
import { DeliveryConfig } from './delivery/delivery.config';
import { DeliveryLoop } from './delivery/delivery-loop';
import { PushedMailConfig } from './mail/pushed-mail.config';
import { SchedulingLoop } from './mail/scheduling-loop';
import { NoticeSweep } from './notice-sweep';
import { PushConfig } from './push.config';
import { migrations, providers } from './push.parts';
import { StreamReset } from './stream-reset';

/** The push service. */
export const service = defineService({
  name: 'push',
  calls: [sessionAdministration.resolveMail],
  contracts: [pushSecrets, pns, pushInput, pushMails, pushStreams],
  config: [PushConfig, SecretKeySettings, DeliveryConfig, PushedMailConfig, FileStoreSettings, OutboundSettings],
  directory: __dirname,
  migrations,
  providers,
  checks: (module) => ({ filestore: fileStoreCheck(module.get(FILES, { strict: false })) }),
  afterStart: async (module) => {
    module.get(StreamReset, { strict: false }).start();
    module.get(NoticeSweep, { strict: false }).start();
    module.get(DeliveryLoop, { strict: false }).start();
    module.get(SchedulingLoop, { strict: false }).start();
  },
  beforeClose: async (module) => {
    await module.get(StreamReset, { strict: false }).stop();
    await module.get(NoticeSweep, { strict: false }).stop();
    await module.get(DeliveryLoop, { strict: false }).stop();
    await module.get(SchedulingLoop, { strict: false }).stop();
  },
});
