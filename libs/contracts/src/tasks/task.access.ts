import { defineRights, readRight, writeRight } from '../kit';

/** Rights on tasks. */
export const TASK_RIGHTS = defineRights('task', {
  read: readRight('The folder in which the user sees the task lets the user read it, and it is not private to others'),
  create: writeRight('The user may create objects in the folder'),
  write: writeRight('The user may write objects in the folder, all or own ones'),
  remove: writeRight('The user may delete objects in the folder, all or own ones'),
  confirm: writeRight('The user takes part in the task'),
});
