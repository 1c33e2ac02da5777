import { attachmentOwner } from '../attachments/attachment-owner.contract';
import { requireRights } from '../kit';
import { TASK_RIGHTS } from './task.access';
import { taskEvents } from './task.events';

/** Files on tasks: rights and counts. */
export const taskAttachments = attachmentOwner('tasks', {
  id: 4,
  access: requireRights(TASK_RIGHTS.read),
  deleted: taskEvents['task.deleted'],
});
