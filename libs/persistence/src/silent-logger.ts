import type { Logger } from 'typeorm';

const nothing = (): void => undefined;

/** TypeORM writes to the console whatever it is told; failures reach us as errors, and nothing else is of interest. */
export const silentLogger: Logger = {
  logQuery: nothing,
  logQueryError: nothing,
  logQuerySlow: nothing,
  logSchemaBuild: nothing,
  logMigration: nothing,
  log: nothing,
};
