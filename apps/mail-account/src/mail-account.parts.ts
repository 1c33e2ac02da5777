import { directoryProvider } from '@groupware/directory';
import { mailAccessProviders, MailAccessSettings } from '@groupware/mail-access';
import { outboundProviders } from '@groupware/outbound';
import { Logger, ProcessSettings, Properties } from '@groupware/service-kit';
import { sessionSettings, SessionStore } from '@groupware/sessions';
import type { Provider } from '@nestjs/common';
import { AccountCheck } from './account-check';
import { AccountCredentials } from './account-credentials';
import { AccountWriter } from './account-writer';
import { Accounts } from './accounts';
import { DomainLookup } from './autoconfig/domain-lookup';
import { ProviderList } from './autoconfig/provider-list';
import { ServerSearch } from './autoconfig/server-search';
import { CreateAccounts1763700000000 } from './migrations/1763700000000-create-accounts';
import { FolderDetection } from './folder-detection';
import { MailAccountConfig } from './mail-account.config';
import { PasswordVault } from './password-vault';
import { AccountRepository } from './persistence/account.repository';
import { PrimaryAccounts } from './primary-accounts';

/** Steps of the schema in order. */
export const migrations = [CreateAccounts1763700000000] as const;

const log = Logger.for('mail-account');

/** What handlers and consumers are made of. */
export const providers: readonly Provider[] = [
  directoryProvider('mail-account'),
  ...outboundProviders,
  ...mailAccessProviders,
  {
    provide: SessionStore,
    inject: [MailAccessSettings, MailAccountConfig, ProcessSettings, Properties],
    useFactory: (
      access: MailAccessSettings,
      config: MailAccountConfig,
      process: ProcessSettings,
      properties: Properties,
    ) =>
      SessionStore.connect({
        url: access.redisUrl.reveal(),
        prefix: process.busPrefix,
        secretKeys: config.secretKeys(),
        settings: sessionSettings((property) => properties.serverValue(property)),
        onError: (error) => log.warn({ error: error.message }, 'session store'),
      }),
  },
  AccountCheck,
  AccountCredentials,
  AccountRepository,
  AccountWriter,
  Accounts,
  DomainLookup,
  FolderDetection,
  PasswordVault,
  PrimaryAccounts,
  ProviderList,
  ServerSearch,
];
