import { errorCatalog } from '../kit';

/** Errors of the settings that clients keep as trees (prefix JSNCON). */
export const JslobErrors = errorCatalog('JSNCON', {
  unknownService: { number: 4, category: 'USER_INPUT', message: 'There are no settings of the service %1.' },
  missingElement: { number: 6, category: 'USER_INPUT', message: 'The path %1 does not exist.' },
  invalidPath: { number: 7, category: 'USER_INPUT', message: 'The path %1 is invalid.' },
  fixed: { number: 8, category: 'WARNING', message: 'The setting %1 of %2 is fixed by the server.' },
  tooLarge: { number: 9001, category: 'USER_INPUT', message: 'The settings %1 have more than %2 bytes.' },
  tooDeep: { number: 9002, category: 'USER_INPUT', message: 'The settings %1 are nested deeper than %2.' },
  tooMany: { number: 9003, category: 'USER_INPUT', message: 'A user has at most %1 trees of settings.' },
  tooLargeTogether: { number: 9004, category: 'USER_INPUT', message: 'A user has at most %1 bytes of settings.' },
});

/** How much a user may store. */
export const settingLimits = [
  JslobErrors.tooLarge,
  JslobErrors.tooDeep,
  JslobErrors.tooMany,
  JslobErrors.tooLargeTogether,
] as const;

/** Errors of the configuration tree (prefix USS). */
export const ConfigErrors = errorCatalog('USS', {
  readOnly: { number: 3, category: 'PERMISSION_DENIED', message: 'The setting %1 cannot be changed.' },
  unknownPath: { number: 4, category: 'ERROR', message: 'There is no setting %1.' },
  notALeaf: { number: 5, category: 'ERROR', message: 'The setting %1 is a group of settings.' },
  invalidValue: { number: 9, category: 'USER_INPUT', message: 'The value %1 is not possible for the setting %2.' },
});
