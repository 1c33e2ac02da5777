import {
  requireImportFile,
  requireOneFolder,
  taskImport,
  type CallOf,
  type Handler,
  type ImportedItem,
  type Reply,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseTaskFolderId } from '../folders/folder-access';
import { TaskImport } from '../icalendar/task-import';

/** `import?action=ICAL` into a folder of tasks: a file of tasks, with a result per component. */
@Handles(taskImport.ICALTasks)
export class ImportIcalTasksHandler implements Handler<typeof taskImport.ICALTasks> {
  constructor(private readonly importer: TaskImport) {}

  handle({ principal, query, files, signal }: CallOf<typeof taskImport.ICALTasks>): Promise<Reply<ImportedItem[]>> {
    return this.importer.importFile(principal, {
      folderId: parseTaskFolderId(requireOneFolder(query.folder)),
      file: requireImportFile(files),
      freshUids: query.ignoreUIDs ?? false,
      signal,
    });
  }
}
