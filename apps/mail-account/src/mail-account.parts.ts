import { directoryProvider } from '@groupware/directory';
import { mailAccessProviders } from '@groupware/mail-access';
import { outboundProviders } from '@groupware/outbound';
import { Logger } from '@groupware/service-kit';
import { sessionStoreProvider } from '@groupware/sessions';
import type { Provider } from '@nestjs/common';
import { AccountCheck } from './account-check';
import { AccountCredentials } from './account-credentials';
import { AccountWriter } from './account-writer';
import { Accounts } from './accounts';
import { Certificates } from './certificates';
import { DomainLookup } from './autoconfig/domain-lookup';
import { ProviderList } from './autoconfig/provider-list';
import { ServerSearch } from './autoconfig/server-search';
import { CreateAccounts1763700000000 } from './migrations/1763700000000-create-accounts';
import { CreateCertificates1763740000000 } from './migrations/1763740000000-create-certificates';
import { IdentifyMailboxes1764200000000 } from './migrations/1764200000000-identify-mailboxes';
import { FolderDetection } from './folder-detection';
import { PasswordVault } from './password-vault';
import { AccountRepository } from './persistence/account.repository';
import { CertificateRepository } from './persistence/certificate.repository';
import { PrimaryAccounts } from './primary-accounts';

/** Steps of the schema in order. */
export const migrations = [
  CreateAccounts1763700000000,
  CreateCertificates1763740000000,
  IdentifyMailboxes1764200000000,
] as const;

const log = Logger.for('mail-account');

/** What handlers and consumers are made of. */
export const providers: readonly Provider[] = [
  directoryProvider('mail-account'),
  ...outboundProviders,
  ...mailAccessProviders,
  sessionStoreProvider(log),
  AccountCheck,
  AccountCredentials,
  AccountRepository,
  AccountWriter,
  Accounts,
  CertificateRepository,
  Certificates,
  DomainLookup,
  FolderDetection,
  PasswordVault,
  PrimaryAccounts,
  ProviderList,
  ServerSearch,
];
