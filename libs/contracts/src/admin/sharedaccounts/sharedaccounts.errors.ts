import { errorCatalog } from '../../kit';

/** Shared accounts (prefix SHACC, ours). */
export const SharedAccountErrors = errorCatalog('SHACC', {
  exactlyOne: { number: 1, category: 'USER_INPUT', message: 'Exactly one of %1 and %2 is needed.', http: 400 },
  malformedId: {
    number: 2,
    category: 'USER_INPUT',
    message: 'An account id has the form user@context, not "%1".',
    http: 400,
  },
  notFound: { number: 3, category: 'USER_INPUT', message: 'There is no such account, or no access to it.', http: 404 },
  userNotFound: { number: 4, category: 'USER_INPUT', message: 'User %1 was not found in context %2.', http: 404 },
});
