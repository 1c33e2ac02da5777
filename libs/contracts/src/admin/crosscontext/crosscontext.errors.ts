import { errorCatalog } from '../../kit';

/** Shares between contexts (prefix XCTX, ours). */
export const CrossContextErrors = errorCatalog('XCTX', {
  contextNotFound: { number: 1, category: 'USER_INPUT', message: 'Context %1 was not found.', http: 404 },
  userNotFound: { number: 2, category: 'USER_INPUT', message: 'User %1 was not found in context %2.', http: 404 },
});
