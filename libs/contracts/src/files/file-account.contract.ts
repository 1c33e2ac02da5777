import { QuotaErrors } from '../quota/quota.errors';
import { action, allowCallers, defineModule, json, one, value } from '../kit';
import {
  FileAccountData,
  FileAccountQuery,
  FileAccountsQuery,
  FileAccountUpdate,
  FileServiceData,
  FileServiceQuery,
  NewFileAccount,
} from './file-account.model';
import { FileStorageErrors } from './file-storage.errors';

const common = {
  auth: 'session',
  capability: 'infostore',
  guests: true,
  http: 'GET',
  appScopes: ['read_files'],
  access: allowCallers('a user reaches the own accounts alone: statements name the user'),
} as const;
const writing = { ...common, guests: false, http: 'PUT', appScopes: ['write_files'] } as const;
const ofForm = [
  FileStorageErrors.unknownService,
  FileStorageErrors.notSupported,
  FileStorageErrors.missingField,
  FileStorageErrors.badField,
  FileStorageErrors.notReachable,
  FileStorageErrors.loginRefused,
  FileStorageErrors.noSuchFolder,
];

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
    new: action({
      ...writing,
      doc: 'Makes an account, once its storage answered',
      body: json(NewFileAccount),
      reply: value<string>('id of the account'),
      errors: [...ofForm, QuotaErrors.exceeded],
    }),
    update: action({
      ...writing,
      doc: 'Changes an account, once its storage answered to what changed',
      body: json(FileAccountUpdate),
      reply: value<string>('id of the account'),
      errors: [...ofForm, FileStorageErrors.accountNotFound],
    }),
    delete: action({
      ...writing,
      http: 'GET',
      repeatable: false,
      doc: 'Deletes an account; its storage keeps all files',
      query: FileAccountQuery,
      reply: value<number>('1'),
      errors: [FileStorageErrors.unknownService, FileStorageErrors.notSupported, FileStorageErrors.accountNotFound],
    }),
  },
  { service: 'files' },
);
