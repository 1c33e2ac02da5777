import { action, allowCallers, defineModule, one, value } from '../kit';
import {
  FileAccountData,
  FileAccountQuery,
  FileAccountsQuery,
  FileServiceData,
  FileServiceQuery,
} from './file-account.model';
import { FileStorageErrors } from './file-storage.errors';

const common = {
  auth: 'session',
  capability: 'infostore',
  guests: true,
  http: 'GET',
  appScopes: ['read_files'],
  access: allowCallers('the own storage is the same for all users, no object is reached'),
} as const;

/** Kinds of file storages. */
export const fileServices = defineModule(
  'fileservice',
  {
    all: action({
      ...common,
      doc: 'Lists the kinds of file storages',
      reply: value<FileServiceData[]>('services'),
    }),
    get: action({
      ...common,
      doc: 'Reads one kind of file storages',
      query: FileServiceQuery,
      reply: one(FileServiceData),
      errors: [FileStorageErrors.unknownService],
    }),
  },
  { service: 'files' },
);

/** File storages of users. */
export const fileAccounts = defineModule(
  'fileaccount',
  {
    all: action({
      ...common,
      doc: 'Lists the file storages of the user',
      query: FileAccountsQuery,
      reply: value<FileAccountData[]>('accounts'),
      errors: [FileStorageErrors.unknownService],
    }),
    get: action({
      ...common,
      doc: 'Reads one file storage of the user',
      query: FileAccountQuery,
      reply: one(FileAccountData),
      errors: [FileStorageErrors.unknownService, FileStorageErrors.accountNotFound],
    }),
  },
  { service: 'files' },
);
