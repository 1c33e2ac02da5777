import { action, defineModule, jsonListOf, requireRights, value } from '../kit';
import { FOLDER_RIGHTS } from './folder.access';
import { MAX_FOLDER_IDS } from './folders.contract';

/** Folders of clients that keep copies. */
export const sync = defineModule(
  'sync',
  {
    refreshServer: action({
      access: requireRights(FOLDER_RIGHTS.decidedByOwner),
      appScopes: ['write_folders'],
      auth: 'session',
      http: 'PUT',
      action: 'refresh_server',
      doc: 'Deletes what is in folders, as `folders?action=clear`; answers those that were left alone, whatever the reason',
      body: jsonListOf<string>('id', { maxItems: MAX_FOLDER_IDS }),
      reply: value<string[]>('ids of the folders that were not cleared'),
    }),
  },
  { service: 'folders' },
);
