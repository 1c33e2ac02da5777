import { errorCatalog } from '../kit';

/** Second factors (prefix MFA). */
export const MultifactorErrors = errorCatalog('MFA', {
  required: { number: 1, category: 'USER_INPUT', message: 'A second factor is required.', http: 403 },
  serviceUnavailable: {
    number: 4,
    category: 'TRY_AGAIN',
    message: 'The service %1 is not available at the moment. Try again later.',
    http: 503,
  },
  unknownProvider: { number: 6, category: 'ERROR', message: 'Unknown kind of second factor: "%1".', http: 404 },
  providerNotAvailable: {
    number: 7,
    category: 'ERROR',
    message: 'The kind of second factor "%1" is not available.',
  },
  unknownDevice: { number: 9, category: 'USER_INPUT', message: 'There is no such device.', http: 404 },
  missingParameter: { number: 13, category: 'ERROR', message: 'Missing the parameter "%1".', http: 400 },
  recentFactorNeeded: {
    number: 15,
    category: 'ERROR',
    message: 'Show a second factor again to do this.',
    http: 403,
  },
  nameTooLong: {
    number: 18,
    category: 'USER_INPUT',
    message: 'The value of "%1" has %2 characters; at most %3 are allowed.',
  },
  registrationFailed: { number: 19, category: 'USER_INPUT', message: 'The device could not be registered.' },
  failed: { number: 21, category: 'USER_INPUT', message: 'The second factor is wrong.' },
  lockedOut: { number: 22, category: 'USER_INPUT', message: 'Too many wrong second factors. Try again in %1 seconds.' },
  failedWithAttempts: {
    number: 23,
    category: 'USER_INPUT',
    message: 'The second factor is wrong. %1 attempts are left.',
  },
});
