import { defineService } from '@groupware/service-kit';

/** The operators' REST operations, a folder each: the folder holds its handlers, tables and migrations. */
export const service = defineService({
  name: 'admin',
  contracts: [],
  directory: __dirname,
  migrations: [],
  providers: [],
});
