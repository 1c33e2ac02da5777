import { guestTasks, type CallOf, type CalendarFile, type Handler } from '@groupware/contracts';
import { createGuestUser } from '@groupware/folders';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FolderAccess } from '../folders/folder-access';
import { TaskExport } from '../icalendar/task-export';

/** `writeTasks`: a folder of tasks as a guest may read it; those with dates within a time, all others. */
@Handles(guestTasks.writeTasks)
export class GuestTasksHandler implements Handler<typeof guestTasks.writeTasks> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly exporter: TaskExport,
  ) {}

  async handle({ principal, query }: CallOf<typeof guestTasks.writeTasks>): Promise<CalendarFile | null> {
    const guest = createGuestUser(principal, query.guest);
    return this.database.read(
      principal,
      async (db) => {
        const folder = (await this.access.findFolders(db, guest, [query.folder])).get(query.folder);
        if (!folder || folder.rights.read === 0) return null;
        return (await this.exporter.writeFolder(db, guest, folder, query)).file;
      },
      { snapshot: true },
    );
  }
}
