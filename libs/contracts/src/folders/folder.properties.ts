import { property } from '../kit';

/** Most folders of one user in one module. */
export const MAX_FOLDERS = property({
  key: 'com.example.folder.maxPerUser',
  default: 10_000,
  min: 1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most folders that one user may own in one module, private and public ones together; more give FLD-1029.',
});

/** Treatment of columns that no table of the API names. */
export const UNKNOWN_COLUMNS = property<string>({
  key: 'com.example.folder.unknownColumns',
  default: 'null',
  values: ['null', 'reject'],
  scopes: ['user', 'context', 'server'],
  doc: 'Numbers of folder columns that do not exist: answer `null` for them, since clients of later versions ask for columns of their own, or `reject` the request (FLD-0059). Names that do not exist are always rejected.',
});
