import { reply, TaskErrors, tasks, type CallOf, type Handler, type TaskData } from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseTaskId } from '../domain/task-id';
import { parseTaskFolderId, requireReadable } from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';
import { TaskViewRepository } from '../persistence/task-view.repository';
import { TaskView } from '../views/task-view';

/** `get`: one task. */
@Handles(tasks.get)
export class GetHandler implements Handler<typeof tasks.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly tasks: TaskRepository,
    private readonly view: TaskView,
    private readonly rows: TaskViewRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof tasks.get>) {
    const folderId = parseTaskFolderId(query.folder);
    const id = parseTaskId(query.id, principal.contextId);
    const read = (db: Reader) =>
      this.view.readInFolder(db, principal, folderId, async (folder) => {
        const [task] = await this.tasks.listByIds(db, [id]);
        if (!task) throw TaskErrors.notFound(id, principal.contextId);
        requireReadable(task, folder, principal);
        const reader = this.view.toReader(principal, [folder], query.timezone);
        return { task, data: await this.rows.findData(db, reader, id, folderId) };
      });
    const { task, data } = await this.database.read(principal, read);
    // Deleted between the two statements.
    if (!data) throw TaskErrors.notFound(id, principal.contextId);
    return reply<TaskData>(data, { timestamp: task.lastModified });
  }
}
