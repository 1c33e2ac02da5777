import { taskAttachments, taskFolders, taskReminders, tasks, tasksQuota } from '@groupware/contracts';
import { attachmentsChangedHandler, folderHandlers } from '@groupware/folders';
import { defineService } from '@groupware/service-kit';
import { migrations, providers } from './tasks.parts';
import { TasksConfig } from './tasks.config';

/** The tasks service. */
export const service = defineService({
  name: 'tasks',
  contracts: [tasks, taskFolders, taskAttachments, taskReminders, tasksQuota],
  config: [TasksConfig],
  directory: __dirname,
  handlers: [...folderHandlers(taskFolders), attachmentsChangedHandler(taskAttachments)],
  migrations,
  providers,
});
