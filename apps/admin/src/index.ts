import { siteAdministration } from '@groupware/contracts';
import { defineService } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { AdminConfig } from './admin.config';
import { adminProviders } from './admin.providers';

/** The operators' REST operations, a folder each: the folder holds its handlers, tables and migrations. */
export const service = defineService({
  name: 'admin',
  contracts: [siteAdministration],
  directory: __dirname,
  migrations: [],
  providers: adminProviders,
  config: [AdminConfig],
  checks: (module) => ({ redis: () => module.get(SessionStore, { strict: false }).ping() }),
  beforeClose: (module) => module.get(SessionStore, { strict: false }).close(),
});
