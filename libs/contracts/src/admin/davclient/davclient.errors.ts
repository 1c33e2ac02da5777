import { errorCatalog } from '../../kit';

/** Set-up of DAV clients (prefix DAVCLIENT). */
export const DavClientErrors = errorCatalog('DAVCLIENT', {
  invalidToken: {
    number: 1,
    category: 'PERMISSION_DENIED',
    message: 'The token is invalid, expired or used. Start the set-up again.',
    http: 403,
  },
  invalidCredentials: {
    number: 2,
    category: 'PERMISSION_DENIED',
    message: 'The login or the password is wrong.',
    http: 401,
  },
  unavailable: {
    number: 3,
    category: 'SERVICE_DOWN',
    message: 'The set-up is not available at the moment. Try again later.',
    http: 503,
  },
});

/** Client on-boarding (prefix ONBRD). */
export const OnboardingErrors = errorCatalog('ONBRD', {
  unknownScenario: { number: 1, category: 'USER_INPUT', message: 'There is no scenario "%1".', http: 404 },
  unknownAction: { number: 2, category: 'USER_INPUT', message: 'The scenario "%1" has no action "%2".', http: 404 },
  notEnabled: {
    number: 3,
    category: 'PERMISSION_DENIED',
    message: 'This is not available for you. Missing: %1.',
  },
});
