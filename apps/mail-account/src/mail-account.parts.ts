import { directoryProvider } from '@groupware/directory';
import { mailAccessProviders } from '@groupware/mail-access';
import { outboundProviders } from '@groupware/outbound';
import { Logger } from '@groupware/service-kit';
import { sessionStoreProvider } from '@groupware/sessions';
import type { Provider } from '@nestjs/common';
import { AccountCheck } from './connection/account-check';
import { AccountCredentials } from './credentials/account-credentials';
import { AccountLogins } from './credentials/account-logins';
import { AccountTokens } from './credentials/account-tokens';
import { AccountWriter } from './accounts/account-writer';
import { Accounts } from './accounts/accounts';
import { Certificates } from './certificates/certificates';
import { DomainLookup } from './autoconfig/domain-lookup';
import { ProviderList } from './autoconfig/provider-list';
import { ServerSearch } from './autoconfig/server-search';
import { CreateAccounts1763700000000 } from './migrations/1763700000000-create-accounts';
import { CreateCertificates1763740000000 } from './migrations/1763740000000-create-certificates';
import { IdentifyMailboxes1764200000000 } from './migrations/1764200000000-identify-mailboxes';
import { MailboxSpace } from './connection/mailbox-space';
import { FolderDetection } from './connection/folder-detection';
import { PasswordVault } from './credentials/password-vault';
import { AccountRepository } from './persistence/account.repository';
import { CertificateRepository } from './persistence/certificate.repository';
import { PrimaryAccounts } from './primary-account/primary-accounts';
import { PrimaryFolders } from './primary-account/primary-folders';

/** Steps of the schema in order. */
export const migrations = [
  CreateAccounts1763700000000,
  CreateCertificates1763740000000,
  IdentifyMailboxes1764200000000,
] as const;

const log = Logger.for('mail-account');

/** Providers of handlers and consumers. */
export const providers: readonly Provider[] = [
  directoryProvider('mail-account'),
  ...outboundProviders,
  ...mailAccessProviders,
  sessionStoreProvider(log),
  AccountCheck,
  AccountCredentials,
  AccountLogins,
  AccountRepository,
  AccountTokens,
  AccountWriter,
  Accounts,
  CertificateRepository,
  Certificates,
  DomainLookup,
  FolderDetection,
  MailboxSpace,
  PasswordVault,
  PrimaryAccounts,
  PrimaryFolders,
  ProviderList,
  ServerSearch,
];
