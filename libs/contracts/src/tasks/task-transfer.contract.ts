import { ExportReference, type ImportedItem } from '../calendar/icalendar.contract';
import { ImportExportErrors } from '../calendar/calendar.errors';
import { FolderErrors } from '../folders/folder.errors';
import { selectByFolder } from '../folders/folder-id';
import { action, defineModule, Field, file, internal, page, property, requireRights, upload, value } from '../kit';
import type { CalendarFile } from '../share/guest-calendars.contract';
import { TASK_RIGHTS } from './task.access';
import { TaskErrors } from './task.errors';

/** Most entries of one import. */
export const MAX_IMPORTED_TASKS = property({
  key: 'com.example.import.tasks.limit',
  default: -1,
  min: -1,
  scopes: ['user', 'context', 'server'],
  doc: 'Most entries of one import of tasks; those beyond are left out with the warning I_E-1317. -1: no limit but that of the service.',
});

/** Target of an imported file of tasks. */
export class TaskImportQuery {
  @Field.id({ doc: 'Folder of tasks', joinsRepeated: true }) folder!: string;
  @Field.boolean({ doc: 'Give every task a new unique id', optional: true }) ignoreUIDs?: boolean;
  @Field.boolean({ doc: 'Answer JSON instead of an HTML page', optional: true }) plainJson?: boolean;
}

/** Which folder of tasks to export. */
export class TaskExportQuery {
  @Field.id({ doc: 'Folder of tasks' }) folder!: string;
}

/** Import of tasks. */
export const taskImport = defineModule(
  'import',
  {
    ICALTasks: action({
      access: requireRights(TASK_RIGHTS.create),
      appScopes: ['write_tasks'],
      http: 'POST',
      action: 'ICAL',
      selector: selectByFolder('folder', 'tasks'),
      doc: 'Imports the tasks of an iCalendar file into a folder of tasks; answers a result per component. The same file may be imported again: tasks with a unique id that the folder has are brought up to date',
      query: TaskImportQuery,
      body: upload(undefined, { required: false }),
      reply: page<ImportedItem[]>('a result per component in the order of the file'),
      repeatable: false,
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'tasks',
      withoutCapability: ImportExportErrors.noTasks,
      errors: [
        ImportExportErrors.noTasks,
        ImportExportErrors.noFile,
        ImportExportErrors.notOneFile,
        ImportExportErrors.emptyFile,
        ImportExportErrors.noContent,
        ImportExportErrors.notOneFolder,
        TaskErrors.mustNotCreate,
        TaskErrors.folderNotVisible,
        FolderErrors.notFound,
      ],
    }),
  },
  { service: 'tasks' },
);

/** Tasks to write into a file. */
export class TaskFileQuery {
  @Field.list(() => ExportReference, { doc: 'The tasks, in the order of the file' }) tasks!: ExportReference[];
}

/** Files of single tasks, which clients ask for together with appointments. */
export const taskFiles = defineModule(
  'task-files',
  {
    writeTasks: internal({
      access: requireRights(TASK_RIGHTS.read),
      calledBy: ['calendar'],
      doc: 'Writes some tasks into an iCalendar file. @throws TSK-0059, TSK-0023, TSK-0046, TSK-0019',
      query: TaskFileQuery,
      reply: value<CalendarFile>('the file'),
      deadlineMs: 600_000,
      repeatable: false,
    }),
  },
  { service: 'tasks' },
);

/** Export of tasks. */
export const taskExport = defineModule(
  'export',
  {
    ICALTasks: action({
      access: requireRights(TASK_RIGHTS.read),
      appScopes: ['read_tasks'],
      http: 'GET',
      action: 'ICAL',
      selector: selectByFolder('folder', 'tasks'),
      doc: 'Exports a folder of tasks as an iCalendar file',
      query: TaskExportQuery,
      reply: file('text/calendar'),
      deadlineMs: 600_000,
      auth: 'session',
      capability: 'tasks',
      errors: [TaskErrors.notReadable, TaskErrors.folderNotVisible, FolderErrors.notFound],
    }),
  },
  { service: 'tasks' },
);
