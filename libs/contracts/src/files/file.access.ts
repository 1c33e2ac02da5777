import { defineRights, readRight, writeRight } from '../kit';

/** Rights on documents. */
export const FILE_RIGHTS = defineRights('file', {
  read: readRight('The folder lets the user read the document, or it is shared with the user itself'),
  create: writeRight('The user may create objects in the folder'),
  write: writeRight('The user may write objects in the folder, all or own ones, or the document is shared for that'),
  remove: writeRight('The user may delete objects in the folder, all or own ones'),
});
