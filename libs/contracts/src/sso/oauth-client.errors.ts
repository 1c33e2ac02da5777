import { errorCatalog } from '../kit';

/** Accounts of users with services elsewhere (prefix OAUTH). */
export const OAuthErrors = errorCatalog('OAUTH', {
  unknownService: { number: 4, category: 'ERROR', message: 'The OAuth service %1 is unknown.', http: 404 },
  accountNotFound: { number: 6, category: 'USER_INPUT', message: 'There is no OAuth account %1.', http: 404 },
  invalidAccount: {
    number: 13,
    category: 'TRY_AGAIN',
    message: 'The access to the OAuth account %1 ended.',
    display: 'The access to the account %1 ended. Please grant it again.',
  },
  missingDisplayName: { number: 14, category: 'USER_INPUT', message: 'The account needs a name.' },
  cancelled: {
    number: 16,
    category: 'USER_INPUT',
    message: 'The request is unknown, too old, was finished already or belongs to another session.',
    display: 'This request is too old or was finished already. Please begin again.',
    http: 403,
  },
  invalidResponse: {
    number: 17,
    category: 'ERROR',
    message: 'The answer of the OAuth service %1 is not valid.',
    display: 'The service %1 sent an answer that is not valid.',
  },
  connectFailed: {
    number: 18,
    category: 'SERVICE_DOWN',
    message: 'The OAuth service %1 cannot be reached.',
    display: 'The service %1 cannot be reached. Please try again later.',
  },
  permissionDenied: {
    number: 26,
    category: 'PERMISSION_DENIED',
    message: 'The OAuth service denied the permission.',
  },
  userRefused: { number: 35, category: 'TRY_AGAIN', message: 'The user refused the access at the OAuth service.' },
  unknownProblem: {
    number: 38,
    category: 'ERROR',
    message: 'The OAuth service reported a problem.',
    display: 'The service reported a problem.',
  },
  accessDenied: { number: 39, category: 'PERMISSION_DENIED', message: 'The OAuth service denied the access.' },
  differentAccount: {
    number: 40,
    category: 'USER_INPUT',
    message: 'The access was granted for another account of the service than before.',
  },
  tooManyAccounts: { number: 41, category: 'CAPACITY', message: 'There are %1 OAuth accounts, which is the most.' },
});
