import { errorCatalog } from '../kit';

/** Errors of documents (API page "Errors", prefix IFO). */
export const InfostoreErrors = errorCatalog('IFO', {
  tooLong: {
    number: 100,
    category: 'TRUNCATED',
    message: 'The value of "%1" is too long: allowed are %2 characters, it has %3.',
  },
  notFound: {
    number: 300,
    category: 'USER_INPUT',
    message: 'The document %1 does not exist.',
    display: 'The document does not exist.',
    http: 404,
  },
  notFiles: { number: 302, category: 'ERROR', message: 'Folder %1 holds no documents.', http: 400 },
  notReadable: { number: 400, category: 'PERMISSION_DENIED', message: 'No permission to read in folder %1.' },
  mustNotCreate: { number: 402, category: 'PERMISSION_DENIED', message: 'No permission to create in folder %1.' },
  mustNotWrite: { number: 403, category: 'PERMISSION_DENIED', message: 'No permission to change the document %1.' },
  mustNotCreateInTarget: {
    number: 404,
    category: 'PERMISSION_DENIED',
    message: 'No permission to create in the target folder %1.',
  },
  mustNotDeleteVersion: {
    number: 406,
    category: 'PERMISSION_DENIED',
    message: 'No permission to delete versions of the document %1.',
  },
  locked: { number: 415, category: 'CONFLICT', message: 'The document %1 is locked by another user.' },
  lockOfAnother: { number: 416, category: 'CONFLICT', message: 'The lock of the document %1 belongs to another user.' },
  mustNotUnlock: { number: 417, category: 'PERMISSION_DENIED', message: 'No permission to unlock the document %1.' },
  mustNotLock: { number: 418, category: 'PERMISSION_DENIED', message: 'No permission to lock the document %1.' },
  mustNotDeleteInSource: {
    number: 421,
    category: 'PERMISSION_DENIED',
    message: 'No permission to delete in the folder %1.',
  },
  mustNotDelete: { number: 445, category: 'PERMISSION_DENIED', message: 'No permission to delete the document %1.' },
  noContent: { number: 500, category: 'ERROR', message: 'The document %1 has no file.', http: 404 },
  searchTooShort: { number: 602, category: 'USER_INPUT', message: 'A search needs at least %1 characters.' },
  changedInTheMeantime: {
    number: 1302,
    category: 'CONFLICT',
    message: 'The document %1 was changed in the meantime (client timestamp %2, actual timestamp %3).',
    display: 'The document was changed in the meantime. Load it again and repeat your change.',
  },
  virtualFolder: { number: 1700, category: 'USER_INPUT', message: 'Folder %1 holds folders only.' },
  invalid: { number: 2100, category: 'USER_INPUT', message: 'Invalid data: %1.' },
  slashInName: { number: 2101, category: 'USER_INPUT', message: 'The file name %1 must not hold a slash.' },
  offsetOfNew: { number: 2102, category: 'USER_INPUT', message: 'A new version begins at offset 0, not at %1.' },
  badCharacter: { number: 2103, category: 'USER_INPUT', message: 'The character %1 is not allowed in "%2".' },
  badPermission: { number: 2104, category: 'USER_INPUT', message: 'The permission %1 cannot be given to %2.' },
  guestGroup: { number: 2107, category: 'USER_INPUT', message: 'Permissions cannot be given to the group of guests.' },
  tooManyPermissions: { number: 2108, category: 'USER_INPUT', message: 'At most %1 permissions are allowed.' },
});

/** Limits of documents under codes of our own. */
export const FileLimitErrors = errorCatalog('FILES', {
  tooMany: { number: 1, category: 'USER_INPUT', message: 'More than %1 documents match. Ask for a part of them.' },
  resyncNeeded: {
    number: 2,
    category: 'CONFLICT',
    message: 'Deletions in folder %1 since %2 are no longer known (the oldest ones kept are of %3).',
    display: 'The documents were not updated for too long. Load them again as a whole.',
  },
  linkNotTold: {
    number: 4,
    category: 'WARNING',
    message: '%1 was not told: links have no mail address.',
  },
  notSaved: { number: 3, category: 'SERVICE_DOWN', message: 'The file could not be saved. Try again later.' },
});
