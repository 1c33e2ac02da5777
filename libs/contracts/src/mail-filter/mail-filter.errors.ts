import { errorCatalog } from '../kit';

/** Mail filters (API page "Errors", prefix MAIL_FILTER). */
export const MailFilterErrors = errorCatalog('MAIL_FILTER', {
  missingParameter: { number: 1, category: 'ERROR', message: 'Missing parameter: %1', http: 400 },
  badCredentials: {
    number: 2,
    category: 'PERMISSION_DENIED',
    message: 'The server of the mail filter did not accept the login.',
    display: 'The mail filter did not accept your login name or password.',
  },
  badJson: { number: 3, category: 'ERROR', message: 'The body cannot be read: %1', http: 400 },
  badPosition: { number: 7, category: 'ERROR', message: 'There is no rule or position %1.', http: 400 },
  ruleNotFound: { number: 8, category: 'ERROR', message: 'User %2 in context %3 has no rule %1.', http: 404 },
  badId: { number: 9, category: 'ERROR', message: 'The id of the rule is no integer.', http: 400 },
  noServer: { number: 10, category: 'ERROR', message: 'There is no server of mail filters for user %1 in context %2.' },
  unreachable: {
    number: 14,
    category: 'ERROR',
    message: 'Cannot connect to the server of mail filters, host %1, port %2.',
    display: 'The mail filter cannot be reached at the moment (%1, port %2).',
  },
  failed: {
    number: 15,
    category: 'ERROR',
    message: 'The server of mail filters failed, host %1, port %2, user %3, context %4.',
    display: 'The mail filter failed. Please try again later.',
    mayBeDone: true,
  },
  badNumber: { number: 17, category: 'USER_INPUT', message: '%1 is no number.' },
  emptyField: { number: 18, category: 'USER_INPUT', message: 'The field %1 must not be empty.' },
  secondVacation: {
    number: 21,
    category: 'TRY_AGAIN',
    message: 'There is a vacation notice already.',
  },
  noScript: { number: 22, category: 'ERROR', message: 'There is no active script.', http: 404 },
  badRedirect: { number: 23, category: 'USER_INPUT', message: 'Mails cannot be redirected to %1: that is no address.' },
  redirectRefused: { number: 24, category: 'USER_INPUT', message: 'Mails must not be redirected to %1.' },
  badRule: { number: 25, category: 'USER_INPUT', message: 'The rule is not valid: %1' },
  badFlag: { number: 26, category: 'ERROR', message: 'There are no rules of the kind %1.', http: 400 },
  notAvailable: {
    number: 27,
    category: 'PERMISSION_DENIED',
    message: 'The mail filter is not available for user %1 in context %2.',
  },
  tooManyIds: {
    number: 28,
    category: 'ERROR',
    message: '%1 rules are to be ordered, but user %3 in context %4 has %2.',
    http: 400,
  },
  tooManyRedirects: {
    number: 29,
    category: 'USER_INPUT',
    message: 'A rule can redirect a mail to at most %1 addresses.',
  },
  locked: {
    number: 9001,
    category: 'TRY_AGAIN',
    message: 'The rules of user %1 in context %2 are being changed by somebody else.',
    display: 'Your rules are being changed at the moment. Please try again.',
  },
});
