import { errorCatalog } from '../kit';

/** Mail (API page "Errors", prefix MSG). */
export const MailErrors = errorCatalog('MSG', {
  badColorLabel: { number: 10, category: 'ERROR', message: 'The colour label %1 is not between 0 and 10.', http: 400 },
  badSearch: { number: 3, category: 'ERROR', message: 'The search cannot be read: %1', http: 400 },
  attachmentNotFound: {
    number: 24,
    category: 'USER_INPUT',
    message: 'The mail has no attachment %1.',
    display: 'This attachment is not part of the mail.',
    http: 404,
  },
  filesTooLarge: {
    number: 29,
    category: 'USER_INPUT',
    message: 'The files have more than %1 bytes together.',
    http: 413,
  },
  missingParameter: { number: 30, category: 'ERROR', message: 'Missing parameter: %1', http: 400 },
  badParameter: { number: 31, category: 'ERROR', message: "The parameter '%1' has the bad value '%2'.", http: 400 },
  notFound: {
    number: 32,
    category: 'USER_INPUT',
    message: 'There is no mail %1 in folder %2.',
    display: 'This mail was moved or deleted.',
    http: 404,
  },
  missingField: { number: 37, category: 'ERROR', message: 'The field %1 is missing.', http: 400 },
  trashOverQuota: {
    number: 39,
    category: 'CAPACITY',
    message: 'The mail was not deleted: the mailbox is full.',
    display: 'The mail could not be moved to the trash, as the mailbox is full. Delete it permanently.',
  },
  sentCopyOverQuota: {
    number: 42,
    category: 'CAPACITY',
    message: 'The mail was sent, but there is no copy of it: the mailbox is full.',
  },
  sentCopyFailed: {
    number: 43,
    category: 'WARNING',
    message: 'The mail was sent, but no copy could be stored in the folder for sent mails.',
  },
  severalReplies: {
    number: 47,
    category: 'USER_INPUT',
    message: 'Several mails cannot be answered at once.',
    http: 400,
  },
  holdsNoMessages: {
    number: 50,
    category: 'PERMISSION_DENIED',
    message: 'The folder %1 holds no mails.',
  },
  pictureNotFound: {
    number: 55,
    category: 'USER_INPUT',
    message: 'The mail has no picture with the content id %1.',
    display: 'This picture is not part of the mail.',
    http: 404,
  },
  senderNotAllowed: {
    number: 56,
    category: 'USER_INPUT',
    message: 'The address %1 is none of the user: mails cannot be sent from it.',
    http: 400,
  },
  noTransport: {
    number: 65,
    category: 'USER_INPUT',
    message: 'The mail account %1 (%2) has no server to send by.',
  },
  originalGone: {
    number: 67,
    category: 'USER_INPUT',
    message: 'The mail %1 in folder %2, which this mail refers to, is gone.',
    http: 404,
  },
  patternTooShort: {
    number: 68,
    category: 'USER_INPUT',
    message: 'A search needs at least %1 characters.',
  },
  sentTooOften: {
    number: 75,
    category: 'USER_INPUT',
    message: 'Only one mail may be sent every %1 seconds.',
  },
  tooManyRecipients: { number: 76, category: 'USER_INPUT', message: 'A mail may have at most %1 recipients.' },
  tooManyForwards: {
    number: 80,
    category: 'USER_INPUT',
    message: 'At most %1 mails may be forwarded, or documents attached, at once.',
  },
  originalNotFlagged: {
    number: 82,
    category: 'WARNING',
    message: 'The mail was sent, but the original could not be marked as answered or forwarded.',
  },
  processingFailed: { number: 86, category: 'TRY_AGAIN', message: 'The request cannot be processed: %1', http: 400 },
  noThreads: { number: 87, category: 'ERROR', message: 'The mail server cannot build threads.' },
  mailTooLarge: { number: 88, category: 'USER_INPUT', message: 'The mail is larger than %1 bytes.' },
  tooManyFiles: { number: 94, category: 'USER_INPUT', message: 'At most %1 files may be attached.' },
  notPermitted: { number: 95, category: 'PERMISSION_DENIED', message: 'The request is not permitted: %1' },
  invalidMessage: { number: 101, category: 'USER_INPUT', message: 'This is no mail: %1', http: 400 },
  contentTooLarge: {
    number: 102,
    category: 'ERROR',
    message: 'The text of the mail is too large to be made safe.',
    display: 'The text of the mail is too large.',
    http: 413,
  },
  badValue: { number: 103, category: 'USER_INPUT', message: 'The value %1 is not allowed.', http: 400 },
  sharingNotAllowed: {
    number: 106,
    category: 'PERMISSION_DENIED',
    message: 'You are not allowed to send files as links.',
  },
  expiryRequired: {
    number: 107,
    category: 'USER_INPUT',
    message: 'Files that go as links need an expiry date.',
    http: 400,
  },
  tooManyConnections: {
    number: 112,
    category: 'SERVICE_DOWN',
    message: 'The mail server %1 allows no further connection at the moment.',
  },
  draftOverQuota: {
    number: 116,
    category: 'CAPACITY',
    message: 'The draft was not saved: the mailbox is full.',
  },
  mailOverQuota: { number: 117, category: 'CAPACITY', message: 'The mail was not saved: the mailbox is full.' },
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
  invalidAddress: { number: 1008, category: 'USER_INPUT', message: 'The address %1 is not valid.', http: 400 },
  readOnly: { number: 1010, category: 'PERMISSION_DENIED', message: 'The folder %1 is read only.' },
  mailRefused: {
    number: 1012,
    category: 'USER_INPUT',
    message: 'The mail server %1 refused the mail, or it is too large for it.',
  },
  recipientsRefused: {
    number: 1013,
    category: 'USER_INPUT',
    message: 'The mail was not sent: the mail server refused the recipients %1.',
  },
  connectionLost: {
    number: 1014,
    category: 'SERVICE_DOWN',
    message: 'The connection to the mail server %1 was lost.',
    mayBeDone: true,
  },
  unreachable: { number: 1016, category: 'SERVICE_DOWN', message: 'The mail server %1 cannot be reached.' },
  overQuota: { number: 1024, category: 'CAPACITY', message: 'The mailbox is full.' },
  commandFailed: { number: 1025, category: 'ERROR', message: 'The mail server %1 refused the operation.' },
  notSent: { number: 1028, category: 'ERROR', message: 'The mail server %1 did not take the mail. It was not sent.' },
  transportLoginFailed: {
    number: 1030,
    category: 'PERMISSION_DENIED',
    message: 'The mail server %1 refused the login of %2. The mail was not sent.',
  },
  inUse: { number: 1031, category: 'TRY_AGAIN', message: 'The mailbox at the mail server %1 is in use.' },
  transportTimedOut: {
    number: 1033,
    category: 'SERVICE_DOWN',
    message: 'The mail server %1 did not answer in time. The mail was not sent.',
  },
  timedOut: {
    number: 1034,
    category: 'SERVICE_DOWN',
    message: 'The mail server %1 did not answer in time.',
    mayBeDone: true,
  },
  accessDenied: {
    number: 1036,
    category: 'PERMISSION_DENIED',
    message: 'The mail server %1 does not let %2 use the mailbox.',
  },
  loginUnavailable: {
    number: 1038,
    category: 'TRY_AGAIN',
    message: 'The mail server %1 cannot take logins at the moment.',
  },
  passwordExpired: {
    number: 1039,
    category: 'PERMISSION_DENIED',
    message: 'The password of %2 at the mail server %1 has expired.',
  },
  encryptionRequired: {
    number: 1040,
    category: 'PERMISSION_DENIED',
    message: 'The mail server %1 takes logins over encrypted connections only.',
  },
  sendUnknown: {
    number: 9001,
    category: 'SERVICE_DOWN',
    message:
      'The mail server %1 did not confirm the mail: nobody knows whether it was sent. Do not send it again before you have asked.',
    mayBeDone: true,
  },
  notAllMoved: {
    number: 9002,
    category: 'SERVICE_DOWN',
    message: 'Only %1 of %2 mails were moved. The others are in the folder %3.',
    mayBeDone: true,
  },
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
