import { errorCatalog } from '../kit';

/** Snippets and signatures (API page "Errors", prefix SNIPPET). */
export const SnippetErrors = errorCatalog('SNIPPET', {
  notFound: { number: 3, category: 'ERROR', message: 'There is no snippet %1.', http: 404 },
  attachmentNotFound: {
    number: 7,
    category: 'ERROR',
    message: 'There is no attachment %1 in snippet %2.',
    http: 404,
  },
  tooManyPictures: {
    number: 8,
    category: 'ERROR',
    message: 'A signature may show at most %1 pictures.',
    display: 'A signature may show at most %1 pictures.',
    http: 400,
  },
  pictureTooLarge: {
    number: 9,
    category: 'ERROR',
    message: 'A picture of a signature may have at most %1 bytes; this one has %2.',
    display: 'A picture of the signature is too large: at most %1 bytes are possible.',
    http: 400,
  },
  badPicture: {
    number: 10,
    category: 'ERROR',
    message: 'A picture of the signature is damaged, or of a type that is not shown.',
    display: 'A picture of the signature is damaged, or of a type that is not shown.',
    http: 400,
  },
  notOwn: {
    number: 11,
    category: 'ERROR',
    message: 'The snippet %1 must not be changed by user %2 in context %3.',
    display: 'Only the user who made this snippet may change it.',
    http: 403,
  },
  tooLarge: {
    number: 12,
    category: 'ERROR',
    message: 'The text of a signature may have at most %1 bytes without its pictures; this one has %2.',
    display: 'The signature is too large.',
    http: 400,
  },
  rawTooLarge: {
    number: 13,
    category: 'ERROR',
    message: 'A signature may have at most %1 bytes with its pictures; this one has %2.',
    display: 'The signature is too large.',
    http: 400,
  },
  nameTooLong: { number: 14, category: 'USER_INPUT', message: 'The name of the snippet is too long.', http: 400 },
  moduleTooLong: { number: 16, category: 'USER_INPUT', message: 'The module of the snippet is too long.', http: 400 },
  typeTooLong: { number: 17, category: 'USER_INPUT', message: 'The type of the snippet is too long.', http: 400 },
  fieldsTooLong: { number: 18, category: 'ERROR', message: 'Some fields of the snippet are too long.', http: 400 },
});
