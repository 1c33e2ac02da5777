import { errorCatalog } from '../kit';

/** Logins by SAML (prefix SAML). */
export const SamlErrors = errorCatalog('SAML', {
  noTenant: {
    number: 1,
    category: 'CONFIGURATION',
    message: 'No login service is set up for this address.',
    display: 'There is no login service for this address.',
    http: 404,
  },
  notValid: {
    number: 7,
    category: 'ERROR',
    message: 'The answer of the login service is not valid.',
    display: 'The login service sent an answer that is not valid. Please log in again.',
    http: 403,
  },
  badRequest: {
    number: 8,
    category: 'ERROR',
    message: 'The login or logout is unknown, too old or was finished already.',
    display: 'This login or logout is too old or was finished already. Please begin again.',
    http: 403,
  },
  noUser: {
    number: 10,
    category: 'ERROR',
    message: 'The login service named nobody who may log in here.',
    display: 'You may not log in here. Please ask your administrator.',
    http: 403,
  },
});
