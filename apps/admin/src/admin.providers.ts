import { Logger, ProcessSettings, Properties } from '@groupware/service-kit';
import { sessionSettings, SessionStore } from '@groupware/sessions';
import type { Provider } from '@nestjs/common';
import { AdminConfig } from './admin.config';
import { adminFilesProvider } from './admin-files';
import { Accounts } from './accounts';
import { advertisementProviders } from './advertisement';
import { EffectiveProperties } from './configuration/effective-properties';
import { crossContextProviders } from './crosscontext';
import { loggingProviders } from './logging';
import { requestAnalysisProviders } from './request-analysis';
import { RuntimeChanges } from './runtime/runtime-changes';
import { davClientProviders } from './davclient';
import { feedbackProviders } from './feedback';
import { AccountsOfOthers } from './sharedaccounts/accounts-of-others';
import { SiteState } from './site/site-state';

const log = Logger.for('admin');

/** What handlers of all areas are made of: an area adds its own here. */
export const adminProviders: readonly Provider[] = [
  {
    provide: SessionStore,
    inject: [AdminConfig, ProcessSettings, Properties],
    useFactory: (config: AdminConfig, process: ProcessSettings, properties: Properties) =>
      SessionStore.connect({
        url: config.redisUrl.reveal(),
        prefix: process.busPrefix,
        secretKeys: config.secretKeys(),
        settings: sessionSettings((property) => properties.serverValue(property)),
        onError: (error) => log.warn({ error: error.message }, 'session store'),
      }),
  },
  RuntimeChanges,
  SiteState,
  adminFilesProvider,
  Accounts,
  EffectiveProperties,
  ...advertisementProviders,
  ...crossContextProviders,
  AccountsOfOthers,
  ...loggingProviders,
  ...feedbackProviders,
  ...requestAnalysisProviders,
  ...davClientProviders,
];
