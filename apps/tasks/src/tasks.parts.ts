import { directoryProvider } from '@groupware/directory';
import { fileStoreProvider } from '@groupware/file-store';
import { AttachmentCounts, folderProviders, tombstoneCleaner } from '@groupware/folders';
import { AlarmClock, Logger } from '@groupware/service-kit';
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
import { FolderContentRepository } from './persistence/folder-content.repository';
import { TaskRepository } from './persistence/task.repository';
import { TaskViewRepository } from './persistence/task-view.repository';
import { AlarmLoop } from './reminders/alarm-loop';
import { ReminderRepository } from './reminders/reminder.repository';
import { TaskReminders } from './reminders/task-reminders';
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
  { provide: AttachmentCounts, useClass: TaskAttachments },
  AlarmClock,
  AlarmLoop,
  FolderAccess,
  FolderContentRepository,
  ImportBatch,
  ReminderRepository,
  TaskEditor,
  TaskExport,
  TaskImport,
  TaskQuota,
  TaskReminders,
  TaskRepository,
  TaskView,
  TaskFinder,
  TaskViewRepository,
  TaskWriter,
];
