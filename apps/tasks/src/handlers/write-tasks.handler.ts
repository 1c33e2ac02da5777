import { taskFiles, TaskErrors, type CalendarFile, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseTaskId } from '../domain/task-id';
import { parseTaskFolderId } from '../folders/folder-access';
import { TaskExport } from '../icalendar/task-export';

/** `writeTasks`: single tasks as a file, as of one moment. */
@Handles(taskFiles.writeTasks)
export class WriteTasksHandler implements Handler<typeof taskFiles.writeTasks> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly exporter: TaskExport,
  ) {}

  async handle({ principal, query }: CallOf<typeof taskFiles.writeTasks>): Promise<CalendarFile> {
    const references = query.tasks.map(({ id, folder_id }) => ({
      id: parseTaskId(id, principal.contextId),
      folderId: parseTaskFolderId(folder_id),
    }));
    const user = 'user' in principal ? principal.user : undefined;
    if (!user) throw TaskErrors.notReadable(references[0]?.folderId ?? 0);
    const { file } = await this.database.read(principal, (db) => this.exporter.writeTasks(db, user, references), {
      snapshot: true,
    });
    return file;
  }
}
