import { errorCatalog } from '../kit';

/** Limits of a context (prefix QUOTA). */
export const QuotaErrors = errorCatalog('QUOTA', {
  exceeded: { number: 3, category: 'USER_INPUT', message: 'The limit for %1 is exceeded: %2 of %3 are used.' },
  unknownAccount: {
    number: 4,
    category: 'ERROR',
    message: 'There is no account %1 of module %2 with a limit.',
    http: 404,
  },
});
