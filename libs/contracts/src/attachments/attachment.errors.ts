import { errorCatalog } from '../kit';

/** Errors of attachments (API page "Errors", prefix ATT). */
export const AttachmentErrors = errorCatalog('ATT', {
  quotaReached: {
    number: 1,
    category: 'CAPACITY',
    message: 'The file could not be stored: the limit of the file store (%1 bytes) is reached.',
  },
  notSaved: { number: 400, category: 'SERVICE_DOWN', message: 'The file could not be saved. Try again later.' },
  fileMissing: { number: 401, category: 'USER_INPUT', message: 'An attachment must contain a file (%1).' },
  notFound: { number: 405, category: 'USER_INPUT', message: 'The attachment %1 no longer exists.', http: 404 },
  invalid: { number: 418, category: 'USER_INPUT', message: 'The attachment is not valid: %1.' },
  badNumber: { number: 701, category: 'USER_INPUT', message: 'The value of the parameter %1 is no number: %2.' },
});

/** Stored files and the stores themselves (prefix FLS). */
export const FileErrors = errorCatalog('FLS', {
  failed: { number: 3, category: 'SERVICE_DOWN', message: 'The file store could not do its work: %1.' },
  unreachable: { number: 4, category: 'SERVICE_DOWN', message: 'The file store is not reachable: %1.' },
  full: { number: 11, category: 'CAPACITY', message: 'The file store is full.' },
  noStore: { number: 21, category: 'SERVICE_DOWN', message: 'The file store %1 is not available.' },
  quotaReached: { number: 24, category: 'USER_INPUT', message: 'The limit of the file store (%1 bytes) is reached.' },
  badOffset: {
    ...{ number: 19, category: 'USER_INPUT', message: 'The offset %1 is invalid for %2 of %3 bytes.' },
    ...{ http: 416, edgeStatus: true },
  },
  badLength: { number: 20, category: 'USER_INPUT', message: 'The length %1 is invalid for %2 of %3 bytes.' },
});

/** Answers of the virus scan (prefix ANTIVIRUS, our own: the public API lists none). */
export const VirusErrors = errorCatalog('ANTIVIRUS', {
  found: { number: 1, category: 'PERMISSION_DENIED', message: 'The file %1 is infected: %2.' },
  unavailable: {
    number: 2,
    category: 'SERVICE_DOWN',
    message: 'The file %1 was not scanned: the virus scanner is not available. Try again later.',
  },
  tooLarge: {
    number: 3,
    category: 'USER_INPUT',
    message: 'The file %1 was not scanned: it is larger than the %2 bytes that the virus scanner takes.',
  },
});
