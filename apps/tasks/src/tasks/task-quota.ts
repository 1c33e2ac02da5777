import { MAX_TASKS } from '@groupware/contracts';
import { objectQuota } from '@groupware/folders';
import { TaskRepository } from '../persistence/task.repository';

/** Limits the tasks of a context. */
export class TaskQuota extends objectQuota({
  limit: MAX_TASKS,
  module: 'task',
  repository: TaskRepository,
}) {}
