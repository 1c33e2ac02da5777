import { pns, pushInput, pushStreams } from '@groupware/contracts';
import { defineService } from '@groupware/service-kit';
import { NoticeSweep } from './notice-sweep';
import { PushConfig } from './push.config';
import { migrations, providers } from './push.parts';

/** The push service. */
export const service = defineService({
  name: 'push',
  contracts: [pns, pushInput, pushStreams],
  config: [PushConfig],
  directory: __dirname,
  migrations,
  providers,
  afterStart: async (module) => module.get(NoticeSweep, { strict: false }).start(),
  beforeClose: async (module) => module.get(NoticeSweep, { strict: false }).stop(),
});
