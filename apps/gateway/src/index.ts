import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { BasePathSettings, defineService, RedisSettings, SecretKeySettings } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { GatewayConfig } from './gateway.config';
import { gatewayProviders, mountGateway } from './gateway';
import { JobRunner } from './jobs/jobs';
import { StreamHub } from './streams/stream-hub';
import { StreamSettings } from './streams/stream-settings';

/** The HTTP edge. It answers no operation on the bus. */
export const service = defineService({
  name: 'gateway',
  callsForClients: true,
  directory: __dirname,
  config: [GatewayConfig, BasePathSettings, RedisSettings, SecretKeySettings, FileStoreSettings, StreamSettings],
  providers: gatewayProviders,
  http: mountGateway,
  // Neither is required: without sessions there are still the administrative API and the servlets, and a client that calls in
  // vain learns from here, and not from a balancer without targets, that it is to be tried again.
  checks: (module) => ({
    redis: () => module.get(SessionStore, { strict: false }).ping(),
    filestore: fileStoreCheck(module.get(FILES, { strict: false })),
  }),
  beforeDrain: (module) => module.get(StreamHub, { strict: false }).close(),
  beforeClose: async (module) => {
    await module.get(JobRunner, { strict: false }).close();
    await module.get(SessionStore, { strict: false }).close();
  },
});
