import { errorCatalog } from '../../kit';

/** Look-up of configuration (prefix CFG, ours). */
export const ConfigurationErrors = errorCatalog('CFG', {
  notSet: { number: 1, category: 'USER_INPUT', message: 'The property "%1" is not set.', http: 404 },
});
