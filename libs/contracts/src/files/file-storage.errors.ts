import { errorCatalog } from '../kit';

/** Errors of file storages, whatever their kind (API page "Files", prefix FILE_STORAGE). */
export const FileStorageErrors = errorCatalog('FILE_STORAGE', {
  accountNotFound: {
    number: 4,
    category: 'USER_INPUT',
    message: 'The service %2 has no account %1 of the user.',
    http: 404,
  },
  unknownService: { number: 16, category: 'SERVICE_DOWN', message: 'There is no file storage service %1.' },
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
  nameMissing: { number: 49, category: 'USER_INPUT', message: 'A file needs a name.' },
  notShared: {
    number: 62,
    category: 'PERMISSION_DENIED',
    message: 'The document %2 is not shared with %1.',
  },
  badCharacters: { number: 65, category: 'USER_INPUT', message: 'The name holds characters that are not allowed: %1' },
  reservedName: { number: 66, category: 'USER_INPUT', message: 'The name %1 is reserved.' },
  onlyDots: { number: 67, category: 'USER_INPUT', message: 'The name must not be %1.' },
  badEnd: { number: 68, category: 'USER_INPUT', message: 'The name %1 must not end with a dot or a blank.' },
  badMediaType: { number: 71, category: 'USER_INPUT', message: '%1 is no media type of a file.' },
});
