import {
  localText,
  OWN_FILE_ACCOUNT,
  OWN_FILE_SERVICE,
  SYSTEM_FOLDERS,
  type FileAccountData,
  type FileServiceData,
} from '@groupware/contracts';

/** Capabilities of the own storage: clients show by it what they offer. */
const CAPABILITIES = [
  'FILE_VERSIONS',
  'IGNORABLE_VERSION',
  'SEQUENCE_NUMBERS',
  'LOCKS',
  'RANDOM_FILE_ACCESS',
  'SEARCH_BY_TERM',
  'THUMBNAIL_IMAGES',
  'COUNT_TOTAL',
  'CASE_INSENSITIVE',
  'AUTO_RENAME_FOLDERS',
  'OBJECT_PERMISSIONS',
  'ZIPPABLE_FOLDER',
  'EXTENDED_METADATA',
  'MULTI_MOVE',
  'RESTORE',
] as const;

/** Capabilities of its folders (column 317). */
export const FOLDER_CAPABILITIES: readonly string[] = [
  'permissions',
  ...CAPABILITIES.map((name) => name.toLowerCase()),
];

/** The service of the storage that this product keeps itself; users make no accounts of it. */
export const toOwnService = (locale: string): FileServiceData => ({
  id: OWN_FILE_SERVICE,
  displayName: localText('folder.infostore.root', locale),
  configuration: [],
});

/** The account that each user has of it. */
export const toOwnAccount = (locale: string): FileAccountData => ({
  id: OWN_FILE_ACCOUNT,
  filestorageService: OWN_FILE_SERVICE,
  qualifiedId: `${OWN_FILE_SERVICE}://${OWN_FILE_ACCOUNT}`,
  displayName: localText('folder.infostore.root', locale),
  rootFolder: String(SYSTEM_FOLDERS.infostore),
  isDefaultAccount: true,
  capabilities: [...CAPABILITIES],
  configuration: {},
});
