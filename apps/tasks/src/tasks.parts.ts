import { REMINDER_MODULE, taskEvents } from '@groupware/contracts';
import { directoryProvider } from '@groupware/directory';
import { fileStoreProvider } from '@groupware/file-store';
import { AttachmentCounts, folderProviders, reminderProviders, tombstoneCleaner } from '@groupware/folders';
import { Logger } from '@groupware/service-kit';
import type { Provider } from '@nestjs/common';
import { FolderAccess } from './folders/folder-access';
import { TaskFolderRules } from './folders/task-folder-rules';
import { ImportBatch } from './icalendar/import-batch';
import { TaskExport } from './icalendar/task-export';
import { TaskImport } from './icalendar/task-import';
import { CreateFolders1764500000000 } from './migrations/1764500000000-create-folders';
import { CreateTasks1764500000001 } from './migrations/1764500000001-create-tasks';
import { FollowFolders1764500000002 } from './migrations/1764500000002-follow-folders';
import { FolderDetails1764500000003 } from './migrations/1764500000003-folder-details';
import { IndexFolders1764500000004 } from './migrations/1764500000004-index-folders';
import { AddOrganizers1796000000000 } from './migrations/1796000000000-add-organizers';
import { FolderContentRepository } from './persistence/folder-content.repository';
import { TaskRepository } from './persistence/task.repository';
import { TaskViewRepository } from './persistence/task-view.repository';
import { TaskAttachments } from './tasks/task-attachments';
import { TaskEditor } from './tasks/task-editor';
import { TaskQuota } from './tasks/task-quota';
import { TaskWriter } from './tasks/task-writer';
import { TasksConfig } from './tasks.config';
import { TaskFinder } from './find/task-finder';
import { TaskView } from './views/task-view';

/** Steps of the schema in order. */
export const migrations = [
  CreateFolders1764500000000,
  CreateTasks1764500000001,
  FollowFolders1764500000002,
  FolderDetails1764500000003,
  IndexFolders1764500000004,
  AddOrganizers1796000000000,
] as const;

/** Providers of handlers and consumers. */
export const providers: Provider[] = [
  ...folderProviders(TaskFolderRules),
  directoryProvider('tasks'),
  fileStoreProvider,
  tombstoneCleaner(
    { counter: 'task_counter', tombstone: 'task_tombstone' },
    TasksConfig,
    Logger.for('tasks.tombstones'),
  ),
  ...reminderProviders(
    {
      module: REMINDER_MODULE.tasks,
      dueEvent: taskEvents['alarm.due'],
      tables: {
        reminder: 'task_reminder',
        objectId: 'task_id',
        object: 'task',
        // The own folder if there is one.
        folder: `(select l.folder_id from task_folder l where l.context_id = r.context_id and l.task_id = r.task_id
          order by (l.user_id = r.user_id) desc nulls last, l.is_origin desc, l.folder_id limit 1)`,
      },
      log: Logger.for('tasks.alarms'),
    },
    TasksConfig,
  ),
  { provide: AttachmentCounts, useClass: TaskAttachments },
  FolderAccess,
  FolderContentRepository,
  ImportBatch,
  TaskEditor,
  TaskExport,
  TaskImport,
  TaskQuota,
  TaskRepository,
  TaskView,
  TaskFinder,
  TaskViewRepository,
  TaskWriter,
];
