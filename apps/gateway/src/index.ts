import { defineService } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { GatewayConfig } from './gateway.config';
import { gatewayProviders, mountGateway } from './gateway';

/** The HTTP edge. It answers no operation on the bus. */
export const service = defineService({
  name: 'gateway',
  directory: __dirname,
  config: GatewayConfig,
  providers: gatewayProviders,
  http: mountGateway,
  checks: (module) => ({ redis: () => module.get(SessionStore, { strict: false }).ping() }),
  beforeClose: (module) => module.get(SessionStore, { strict: false }).close(),
});
