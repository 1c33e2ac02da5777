import { defineRights, readRight, writeRight } from '../kit';

/** Rights on contacts. */
export const CONTACT_RIGHTS = defineRights('contact', {
  read: readRight('The folder lets the user read it, and it is not private to others'),
  create: writeRight('The user may create objects in the folder'),
  write: writeRight('The user may write objects in the folder, all or his own'),
  remove: writeRight('The user may delete objects in the folder, all or his own'),
});
