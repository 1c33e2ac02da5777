import { errorCatalog } from '../kit';

/** Application passwords (prefix ASP). */
export const AppPasswordErrors = errorCatalog('ASP', {
  outsideScope: {
    number: 1,
    category: 'PERMISSION_DENIED',
    message: 'This account may not do that. Required scope: %1.',
  },
  unknownScope: { number: 2, category: 'ERROR', message: 'Unknown type of application: "%1".', http: 400 },
  unknownPassword: { number: 5, category: 'ERROR', message: 'There is no such application password.', http: 404 },
  clientNotAllowed: {
    number: 12,
    category: 'PERMISSION_DENIED',
    message: 'The client "%1" must not use application passwords.',
  },
});
