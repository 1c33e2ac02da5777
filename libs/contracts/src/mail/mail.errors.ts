import { errorCatalog } from '../kit';

/** Mail (API page "Errors", prefix MSG). */
export const MailErrors = errorCatalog('MSG', {
  badColorLabel: { number: 10, category: 'ERROR', message: 'The colour label %1 is not between 0 and 10.', http: 400 },
  badSearch: { number: 3, category: 'ERROR', message: 'The search cannot be read: %1', http: 400 },
  missingParameter: { number: 30, category: 'ERROR', message: 'Missing parameter: %1', http: 400 },
  badParameter: { number: 31, category: 'ERROR', message: "The parameter '%1' has the bad value '%2'.", http: 400 },
  notFound: {
    number: 32,
    category: 'USER_INPUT',
    message: 'There is no mail %1 in folder %2.',
    display: 'This mail was moved or deleted.',
    http: 404,
  },
  trashOverQuota: {
    number: 39,
    category: 'CAPACITY',
    message: 'The mail was not deleted: the mailbox is full.',
    display: 'The mail could not be moved to the trash, as the mailbox is full. Delete it permanently.',
  },
  holdsNoMessages: {
    number: 50,
    category: 'PERMISSION_DENIED',
    message: 'The folder %1 holds no mails.',
  },
  patternTooShort: {
    number: 68,
    category: 'USER_INPUT',
    message: 'A search needs at least %1 characters.',
  },
  noThreads: { number: 87, category: 'ERROR', message: 'The mail server cannot build threads.' },
  tooManyConnections: {
    number: 112,
    category: 'SERVICE_DOWN',
    message: 'The mail server %1 allows no further connection at the moment.',
  },
  loginFailed: {
    number: 1000,
    category: 'PERMISSION_DENIED',
    message: 'The mail server %1 refused the login of %2.',
    display: 'The mail server refused the login. Sign in again.',
  },
  externalLoginFailed: {
    number: 1001,
    category: 'PERMISSION_DENIED',
    message: 'The mail server %1 refused the login of %2.',
    display: 'The mail server refused the login. Check the password of the mail account.',
  },
  readOnly: { number: 1010, category: 'PERMISSION_DENIED', message: 'The folder %1 is read only.' },
  connectionLost: { number: 1014, category: 'SERVICE_DOWN', message: 'The connection to the mail server %1 was lost.' },
  unreachable: { number: 1016, category: 'SERVICE_DOWN', message: 'The mail server %1 cannot be reached.' },
  overQuota: { number: 1024, category: 'CAPACITY', message: 'The mailbox is full.' },
  commandFailed: { number: 1025, category: 'ERROR', message: 'The mail server %1 refused the operation.' },
  timedOut: { number: 1034, category: 'SERVICE_DOWN', message: 'The mail server %1 did not answer in time.' },
});

/** Errors that the layer below mail tells (prefix IMAP). */
export const ImapErrors = errorCatalog('IMAP', {
  folderNotFound: {
    number: 1002,
    category: 'USER_INPUT',
    message: 'The mail folder %1 could not be found.',
    http: 404,
  },
});
