import { errorCatalog } from '../kit';

/** Logins by OpenID Connect (prefix OIDC). */
export const OidcErrors = errorCatalog('OIDC', {
  badToken: {
    number: 7,
    category: 'PERMISSION_DENIED',
    message: 'The answer of the login service is not valid.',
    display: 'The login service sent an answer that is not valid. Please log in again.',
    http: 403,
  },
  noToken: {
    number: 9,
    category: 'SERVICE_DOWN',
    message: 'The login service gave no token.',
    display: 'The login service did not confirm the login. Please try again.',
    http: 502,
  },
  unknownState: {
    number: 10,
    category: 'USER_INPUT',
    message: 'The login is unknown, too old or was finished already.',
    display: 'This login is too old or was finished already. Please log in again.',
    http: 403,
  },
  unreachable: {
    number: 13,
    category: 'SERVICE_DOWN',
    message: 'The login service cannot be reached.',
    display: 'The login service cannot be reached. Please try again later.',
    http: 503,
  },
  noUser: {
    number: 16,
    category: 'PERMISSION_DENIED',
    message: 'The login service named nobody who may log in here.',
    display: 'You may not log in here. Please ask your administrator.',
    http: 403,
  },
  noLogoutToken: {
    number: 17,
    category: 'USER_INPUT',
    message: 'The logout token is missing or not valid.',
    http: 400,
  },
  badLogout: {
    number: 18,
    category: 'USER_INPUT',
    message: 'The logout is unknown, too old or was finished already.',
    display: 'This logout is too old or was finished already.',
    http: 400,
  },
  noBackend: {
    number: 21,
    category: 'CONFIGURATION',
    message: 'No login service is set up for this address.',
    display: 'There is no login service for this address.',
    http: 404,
  },
  refused: {
    number: 23,
    category: 'PERMISSION_DENIED',
    message: 'The login service refused the login.',
    display: 'The login service refused the login.',
    http: 403,
  },
});
