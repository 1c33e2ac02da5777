import { errorCatalog } from '../kit';

/** Logging in (prefix LGI). */
export const LoginErrors = errorCatalog('LGI', {
  invalidCredentials: {
    number: 6,
    category: 'USER_INPUT',
    message: 'The user name or password is incorrect.',
    http: 401,
  },
  passwordExpired: {
    number: 11,
    category: 'PERMISSION_DENIED',
    message: 'The password has expired. Please choose another one: %1',
  },
  notActivated: { number: 13, category: 'PERMISSION_DENIED', message: 'The user is not activated.' },
  noServerToken: { number: 20, category: 'ERROR', message: 'No server token could be made.', http: 503 },
  clientIsUserAgent: {
    number: 21,
    category: 'USER_INPUT',
    message: 'The client parameter must not be the user agent: "%1".',
  },
  tooManyLoginsWithoutPassword: {
    number: 22,
    category: 'USER_INPUT',
    message: 'Too many logins without a password. Please choose one.',
  },
  guestPasswordNeeded: { number: 23, category: 'USER_INPUT', message: 'A password is needed. Please choose one.' },
  guestPasswordWrong: { number: 25, category: 'USER_INPUT', message: 'The password of the guest is wrong.', http: 401 },
  tooManyAttempts: {
    number: 28,
    category: 'PERMISSION_DENIED',
    message: 'Too many login attempts for "%1". Please try again later.',
  },
});

/** Login by token (prefix TOKEN-LOGIN). */
export const TokenLoginErrors = errorCatalog('TOKEN-LOGIN', {
  unknownToken: { number: 1, category: 'ERROR', message: 'The token or the secret is unknown.', http: 401 },
});
