import {
  advertisement,
  advertisementConfig,
  davClient,
  feedbackReports,
  logging,
  requestAnalysis,
  onboarding,
  crossContext,
  preliminaryConfiguration,
  runtime,
  sharedAccounts,
  shares,
  siteAdministration,
  userFeedback,
  sessionAdministration,
} from '@groupware/contracts';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import { BasePathSettings, defineService, RedisSettings, SecretKeySettings } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { adminProviders } from './admin.providers';
import { advertisementMigrations } from './advertisement';
import { crossContextMigrations } from './crosscontext';
import { PurgeRetries } from './crosscontext/purge-retries';
import { feedbackMigrations, feedbackSettings } from './feedback';
import { SessionSweep } from './logging/session-sweep';
import { RuntimeChanges } from './broadcast/runtime-changes';

/** The operators' REST operations, a folder each: the folder holds its handlers, tables and migrations. */
export const service = defineService({
  name: 'admin',
  calls: [sessionAdministration.resolveMail],
  contracts: [
    siteAdministration,
    logging,
    requestAnalysis,
    runtime,
    advertisement,
    advertisementConfig,
    userFeedback,
    feedbackReports,
    davClient,
    onboarding,
    preliminaryConfiguration,
    crossContext,
    shares,
    sharedAccounts,
  ],
  directory: __dirname,
  migrations: [...advertisementMigrations, ...feedbackMigrations, ...crossContextMigrations],
  providers: adminProviders,
  config: [RedisSettings, SecretKeySettings, BasePathSettings, FileStoreSettings, ...feedbackSettings],
  checks: (module) => ({
    redis: () => module.get(SessionStore, { strict: false }).ping(),
    filestore: fileStoreCheck(module.get(FILES, { strict: false })),
  }),
  afterStart: (module) => {
    module.get(SessionSweep, { strict: false }).start();
    module.get(PurgeRetries, { strict: false }).start();
    // Processes that started before this one could not query the state.
    module.get(RuntimeChanges, { strict: false }).broadcastChange();
    return Promise.resolve();
  },
  beforeClose: async (module) => {
    await module.get(SessionSweep, { strict: false }).stop();
    await module.get(PurgeRetries, { strict: false }).stop();
    return module.get(SessionStore, { strict: false }).close();
  },
});
