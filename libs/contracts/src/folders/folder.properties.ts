import { property } from '../kit';

/** Most folders of one user in one module. */
export const MAX_FOLDERS = property({
  key: 'com.example.folder.maxPerUser',
  default: 10_000,
  min: 1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most folders that one user may own in one module, private and public ones together; more give FLD-1029.',
});

/** What becomes of columns that no table of the API names. */
export const UNKNOWN_COLUMNS = property({
  key: 'com.example.folder.unknownColumns',
  default: 'reject',
  values: ['reject', 'null'],
  scopes: ['user', 'context', 'server'],
  doc: 'Folder columns that do not exist: `reject` the request (FLD-0059), or answer `null` for them, as clients with columns of their own may need.',
});
