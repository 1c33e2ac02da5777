import { taskExport, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FolderAccess, parseTaskFolderId, requireReads } from '../folders/folder-access';
import { TaskExport } from '../icalendar/task-export';

/** `export?action=ICAL` of a folder of tasks, as of one moment. */
@Handles(taskExport.ICALTasks)
export class ExportIcalTasksHandler implements Handler<typeof taskExport.ICALTasks> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly exporter: TaskExport,
  ) {}

  handle({ principal, query }: CallOf<typeof taskExport.ICALTasks>) {
    const folderId = parseTaskFolderId(query.folder);
    return this.database.read(
      principal,
      async (db) => {
        const folder = await this.access.requireFolder(db, principal, folderId);
        requireReads(folder);
        return this.exporter.writeFolder(db, principal, folder);
      },
      { snapshot: true },
    );
  }
}
