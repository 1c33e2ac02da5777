import { directoryProvider } from '@groupware/directory';
import type { Provider } from '@nestjs/common';
import { AccountWriter } from './account-writer';
import { Accounts } from './accounts';
import { CreateAccounts1763700000000 } from './migrations/1763700000000-create-accounts';
import { PasswordVault } from './password-vault';
import { AccountRepository } from './persistence/account.repository';
import { PrimaryAccounts } from './primary-accounts';

/** Steps of the schema in order. */
export const migrations = [CreateAccounts1763700000000] as const;

/** What handlers and consumers are made of. */
export const providers: readonly Provider[] = [
  directoryProvider('mail-account'),
  AccountRepository,
  AccountWriter,
  Accounts,
  PasswordVault,
  PrimaryAccounts,
];
