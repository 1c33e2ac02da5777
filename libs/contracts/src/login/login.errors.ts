import { errorCatalog } from '../kit';

/** Logging in (prefix LGI). */
export const LoginErrors = errorCatalog('LGI', {
  invalidCredentials: {
    number: 6,
    category: 'USER_INPUT',
    message: 'The user name or password is incorrect.',
    http: 401,
  },
  notActivated: { number: 13, category: 'PERMISSION_DENIED', message: 'The user is not activated.' },
  clientIsUserAgent: {
    number: 21,
    category: 'USER_INPUT',
    message: 'The client parameter must not be the user agent: "%1".',
  },
  tooManyAttempts: {
    number: 28,
    category: 'PERMISSION_DENIED',
    message: 'Too many login attempts for "%1". Please try again later.',
  },
});
