import {
  guestTasks,
  findTasks,
  taskAttachments,
  taskExport,
  taskFiles,
  taskFolders,
  taskImport,
  taskReminders,
  tasks,
  tasksQuota,
} from '@groupware/contracts';
import { fileStoreCheck, FILES, FileStoreSettings } from '@groupware/file-store';
import {
  FOLDER_CONSUMERS,
  ATTACHMENT_CONSUMERS,
  attachmentsChangedHandler,
  folderHandlers,
  quotaHandler,
  reminderHandlers,
} from '@groupware/folders';
import { defineService, SecretKeySettings } from '@groupware/service-kit';
import { migrations, providers } from './tasks.parts';
import { TaskQuota } from './tasks/task-quota';
import { TasksConfig } from './tasks.config';

/** The tasks service. */
export const service = defineService({
  name: 'tasks',
  contracts: [
    tasks,
    taskFolders,
    taskAttachments,
    taskReminders,
    tasksQuota,
    taskImport,
    taskExport,
    taskFiles,
    guestTasks,
    findTasks,
  ],
  config: [TasksConfig, SecretKeySettings, FileStoreSettings],
  directory: __dirname,
  consumers: [...FOLDER_CONSUMERS, ...ATTACHMENT_CONSUMERS],
  handlers: [
    ...folderHandlers(taskFolders),
    ...reminderHandlers(taskReminders),
    attachmentsChangedHandler(taskAttachments),
    quotaHandler(tasksQuota, TaskQuota),
  ],
  migrations,
  providers,
  checks: (module) => ({ filestore: fileStoreCheck(module.get(FILES, { strict: false })) }),
});
