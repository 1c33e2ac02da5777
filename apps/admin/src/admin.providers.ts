import { fileStoreProvider } from '@groupware/file-store';
import { Logger } from '@groupware/service-kit';
import { sessionStoreProvider } from '@groupware/sessions';
import type { Provider } from '@nestjs/common';
import { Accounts } from './accounts/accounts';
import { advertisementProviders } from './advertisement';
import { EffectiveProperties } from './configuration/effective-properties';
import { crossContextProviders } from './crosscontext';
import { loggingProviders } from './logging';
import { requestAnalysisProviders } from './request-analysis';
import { RuntimeChanges } from './broadcast/runtime-changes';
import { davClientProviders } from './davclient';
import { feedbackProviders } from './feedback';
import { SharedAccounts } from './sharedaccounts/shared-accounts';
import { SiteState } from './site/site-state';

const log = Logger.for('admin');

/** Providers of all areas; each area adds its own here. */
export const adminProviders: readonly Provider[] = [
  sessionStoreProvider(log),
  RuntimeChanges,
  SiteState,
  fileStoreProvider,
  Accounts,
  EffectiveProperties,
  ...advertisementProviders,
  ...crossContextProviders,
  SharedAccounts,
  ...loggingProviders,
  ...feedbackProviders,
  ...requestAnalysisProviders,
  ...davClientProviders,
];
