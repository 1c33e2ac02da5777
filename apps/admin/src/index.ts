import { advertisement, advertisementConfig, siteAdministration } from '@groupware/contracts';
import { defineService } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { AdminConfig } from './admin.config';
import { adminProviders } from './admin.providers';
import { advertisementMigrations } from './advertisement';

/** The operators' REST operations, a folder each: the folder holds its handlers, tables and migrations. */
export const service = defineService({
  name: 'admin',
  contracts: [siteAdministration, advertisement, advertisementConfig],
  directory: __dirname,
  migrations: [...advertisementMigrations],
  providers: adminProviders,
  config: [AdminConfig],
  checks: (module) => ({ redis: () => module.get(SessionStore, { strict: false }).ping() }),
  beforeClose: (module) => module.get(SessionStore, { strict: false }).close(),
});
