import { errorCatalog } from '../kit';

/** Errors of file storages, whatever their kind (API page "Files", prefix FILE_STORAGE). */
export const FileStorageErrors = errorCatalog('FILE_STORAGE', {
  accountNotFound: {
    number: 4,
    category: 'USER_INPUT',
    message: 'The service %2 has no account %1 of the user.',
    http: 404,
  },
  notSupported: { number: 6, category: 'PERMISSION_DENIED', message: 'The storage %1 does not allow this.' },
  badFileId: { number: 8, category: 'USER_INPUT', message: 'The id %1 names no file of a storage.', http: 404 },
  unknownService: { number: 16, category: 'SERVICE_DOWN', message: 'There is no file storage service %1.' },
  missingField: { number: 17, category: 'USER_INPUT', message: 'The account of a storage needs a value for "%1".' },
  badField: { number: 18, category: 'USER_INPUT', message: 'The value of "%1" does not fit the account of a storage.' },
  noSuchFile: { number: 26, category: 'USER_INPUT', message: 'The storage %2 has no file %1.', http: 404 },
  noSuchFolder: { number: 29, category: 'USER_INPUT', message: 'The storage %2 has no folder %1.', http: 404 },
  notReachable: {
    number: 30,
    category: 'SERVICE_DOWN',
    message: 'The storage %1 cannot be reached, or does not answer as such a storage does.',
  },
  badFolderId: { number: 31, category: 'USER_INPUT', message: 'The id %1 names no folder of a storage.', http: 404 },
  storageFull: { number: 32, category: 'CAPACITY', message: 'The storage %1 has no room for the file.' },
  archiveTooLarge: {
    number: 34,
    category: 'PERMISSION_DENIED',
    message: 'The files of the archive have more than %1 bytes.',
  },
  noSuchVersion: {
    number: 39,
    category: 'USER_INPUT',
    message: 'The document %1 has no version %2.',
    http: 404,
  },
  losesNotes: { number: 40, category: 'WARNING', message: 'The new storage does not keep the notes of %1 (%2).' },
  losesVersions: {
    number: 41,
    category: 'WARNING',
    message: 'The new storage keeps the current version of %1 (%2) only.',
  },
  losesCategories: {
    number: 42,
    category: 'WARNING',
    message: 'The new storage does not keep the categories of %1 (%2).',
  },
  abortedByWarnings: {
    number: 45,
    category: 'CONFLICT',
    message: 'Nothing was changed: %1 warnings tell what would be lost.',
  },
  noVersions: { number: 46, category: 'ERROR', message: 'The storage %1 keeps no versions.' },
  nameMissing: { number: 49, category: 'USER_INPUT', message: 'A file needs a name.' },
  loginRefused: { number: 56, category: 'USER_INPUT', message: 'The storage %1 refuses login and password.' },
  fileMissing: { number: 57, category: 'USER_INPUT', message: 'The storage %1 keeps nothing but files.' },
  noPermissions: { number: 58, category: 'ERROR', message: 'The storage %1 keeps no permissions.' },
  losesShares: {
    number: 59,
    category: 'WARNING',
    message: 'The new storage does not keep with whom %1 (%2) is shared.',
  },
  notShared: {
    number: 62,
    category: 'PERMISSION_DENIED',
    message: 'The document %2 is not shared with %1.',
  },
  badCharacters: { number: 65, category: 'USER_INPUT', message: 'The name holds characters that are not allowed: %1' },
  reservedName: { number: 66, category: 'USER_INPUT', message: 'The name %1 is reserved.' },
  onlyDots: { number: 67, category: 'USER_INPUT', message: 'The name must not be %1.' },
  badEnd: { number: 68, category: 'USER_INPUT', message: 'The name %1 must not end with a dot or a blank.' },
  movesAbortedByWarnings: {
    number: 70,
    category: 'CONFLICT',
    message: 'Nothing was moved: %1 warnings tell what would be lost.',
  },
  badMediaType: { number: 71, category: 'USER_INPUT', message: '%1 is no media type of a file.' },
});
