import { errorCatalog } from '../kit';

/** Composition spaces (API page "Errors", prefix MSGCS). */
export const ComposeErrors = errorCatalog('MSGCS', {
  notFound: {
    number: 7,
    category: 'ERROR',
    message: 'There is no composition space %1.',
    display: 'This mail is no longer being written: it was sent, saved or dropped.',
    http: 404,
  },
  notReply: {
    number: 8,
    category: 'USER_INPUT',
    message: 'The mail of composition space %1 is no answer to another one.',
    http: 400,
  },
  attachmentNotFound: {
    number: 9,
    category: 'ERROR',
    message: 'There is no attachment %1 in composition space %2.',
    http: 404,
  },
  concurrentUpdate: {
    number: 10,
    category: 'ERROR',
    message:
      'The composition space %1 is used elsewhere at the moment: it is being sent, or another window took it over.',
    display: 'This mail is being sent, or written in another window.',
  },
  tooManySpaces: {
    number: 11,
    category: 'USER_INPUT',
    message: 'At most %1 mails may be written at once.',
  },
  passwordLost: {
    number: 13,
    category: 'TRY_AGAIN',
    message:
      'The password of the link to the files of composition space %1 could not be restored from its draft: it must be set anew.',
    display: 'The password of the shared files could not be restored. Set it again, or attach the files instead.',
    http: 400,
  },
  notOpened: {
    number: 14,
    category: 'ERROR',
    message: 'The text of the original could not be read: %1.',
    display: 'The text of the original could not be read. Try again.',
    http: 503,
  },
  subjectTooLong: { number: 15, category: 'USER_INPUT', message: 'The subject is too long.', http: 400 },
  fromTooLong: { number: 16, category: 'USER_INPUT', message: 'The address of the author is too long.', http: 400 },
  toTooLong: { number: 18, category: 'USER_INPUT', message: 'There are too many recipients.', http: 400 },
  ccTooLong: { number: 19, category: 'USER_INPUT', message: 'There are too many recipients of copies.', http: 400 },
  bccTooLong: {
    number: 20,
    category: 'USER_INPUT',
    message: 'There are too many recipients of blind copies.',
    http: 400,
  },
  replyToTooLong: {
    number: 21,
    category: 'USER_INPUT',
    message: 'There are too many addresses that answers go to.',
    http: 400,
  },
  attachmentNotFetched: {
    number: 24,
    category: 'ERROR',
    message: 'The attachment %1 of the original could not be read.',
    display: 'An attachment of the original could not be taken over.',
  },
});
