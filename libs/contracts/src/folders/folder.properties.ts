import { property } from '../kit';

/** Most folders of one user in one module. */
export const MAX_FOLDERS = property({
  key: 'com.example.folder.maxPerUser',
  default: 10_000,
  min: 1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most folders that one user may own in one module, private and public ones together; more give FLD-1029.',
});
