import { errorCatalog } from '../../kit';

/** User feedback (prefix FEEDBACK). */
export const FeedbackErrors = errorCatalog('FEEDBACK', {
  unknownType: { number: 3, category: 'USER_INPUT', message: 'There is no type of feedback "%1".', http: 404 },
  invalidContent: { number: 4, category: 'USER_INPUT', message: 'The feedback is not valid: %1.', http: 400 },
  noDatabase: {
    number: 5,
    category: 'CONFIGURATION',
    message: 'There is no global database for the context group "%1".',
    http: 500,
  },
  badParameter: {
    number: 6,
    category: 'USER_INPUT',
    message: 'The value "%2" of the parameter %1 is not allowed.',
    http: 400,
  },
  mailServer: {
    number: 7,
    category: 'CONFIGURATION',
    message: 'The mail could not be sent: the SMTP configuration does not work (%1).',
    http: 500,
  },
  invalidAddresses: {
    number: 8,
    category: 'USER_INPUT',
    message: 'The mail addresses are invalid: %1.',
    http: 400,
  },
  signingKey: {
    number: 10,
    category: 'CONFIGURATION',
    message: 'The PGP key for signatures cannot be used.',
    http: 500,
  },
  invalidKeys: {
    number: 11,
    category: 'USER_INPUT',
    message: 'The PGP keys of all recipients are invalid: %1.',
    http: 400,
  },
  unknownGroup: { number: 12, category: 'USER_INPUT', message: 'There is no context group "%1".', http: 404 },
  tooLarge: {
    number: 13,
    category: 'USER_INPUT',
    message: 'The report is larger than the %1 bytes that are sent by mail. Narrow the range, or compress it.',
    http: 400,
  },
});
