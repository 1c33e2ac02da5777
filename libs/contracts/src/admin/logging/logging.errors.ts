import { errorCatalog } from '../../kit';

/** Log configuration (prefix LOGCONF). */
export const LoggingErrors = errorCatalog('LOGCONF', {
  unknownLogger: { number: 1, category: 'USER_INPUT', message: 'There is no logger %1.', http: 404 },
  notSet: { number: 2, category: 'USER_INPUT', message: 'No level is set for %1.', http: 404 },
  unknownSession: { number: 3, category: 'USER_INPUT', message: 'There is no such session.', http: 404 },
  notAllowed: { number: 4, category: 'USER_INPUT', message: 'Levels of the logger %1 must not be set.', http: 400 },
  tooMany: { number: 5, category: 'USER_INPUT', message: 'More than %1 levels are set already.', http: 400 },
});
