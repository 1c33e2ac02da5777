import { TaskLimitErrors, tasks, type CallOf, type Handler } from '@groupware/contracts';
import { listUpdates } from '@groupware/folders';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseTaskFolderId } from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';
import { TaskViewRepository } from '../persistence/task-view.repository';
import { TaskView } from '../views/task-view';

/** `updates`: what changed in a folder since a timestamp, of one moment. */
@Handles(tasks.updates)
export class UpdatesHandler implements Handler<typeof tasks.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly tasks: TaskRepository,
    private readonly view: TaskView,
    private readonly rows: TaskViewRepository,
  ) {}

  async handle({ principal: user, query }: CallOf<typeof tasks.updates>) {
    const { columns, sort, order, timestamp, timezone } = query;
    const folderId = parseTaskFolderId(query.folder);
    const maxRows = await this.view.getMaxRows(user);
    const ignoresDeleted = (query.ignore ?? 'deleted').split(',').some((word) => word.trim() === 'deleted');
    const read = (db: Reader) =>
      this.view.readInFolder(db, user, folderId, (folder) => {
        const reader = this.view.toReader(user, [folder], timezone);
        return listUpdates(
          db,
          { folder, user, timestamp, ignoresDeleted, maxRows },
          {
            stamps: this.tasks,
            listChanged: (since, most) => {
              const filter = { where: 'l.folder_id = $7 and l.last_modified > $8', values: [folderId, since] };
              return this.rows.listRows(db, reader, { columns, sort, order, filter, from: 0, maxRows: most });
            },
            listGone: (question) => this.rows.listGone(db, reader, question),
            tooMany: TaskLimitErrors.tooMany,
            resyncNeeded: TaskLimitErrors.resyncNeeded,
          },
        );
      });
    // The same index whatever the stamp: no plan anew for each call.
    return this.database.read(user, read, { snapshot: true, plans: 'generic' });
  }
}
