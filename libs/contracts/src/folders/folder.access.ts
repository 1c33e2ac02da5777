import { defineRights, readRight, writeRight } from '../kit';

/** Rights on folders, of whatever module. */
export const FOLDER_RIGHTS = defineRights('folder', {
  useModule: readRight('The user may use the module that owns the folders: its capability'),
  see: readRight('The user sees the folder: he has rights on it, or on one below it'),
  createInside: writeRight('The user may create folders below the parent'),
  administer: writeRight('The user administrates the folder'),
  removeObjects: writeRight('The user may delete what is in the folder'),
  decidedByOwner: readRight('The module that owns the folder is asked on behalf of the user, and decides'),
});
