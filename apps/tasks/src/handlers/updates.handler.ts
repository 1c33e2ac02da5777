import { jsonText, reply, TaskLimitErrors, tasks, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { isOwnFolder } from '@groupware/folders';
import { parseTaskFolderId } from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';
import { TaskViewRepository } from '../persistence/task-view.repository';
import { TaskView } from '../views/task-view';

/**
 * `updates`: what changed since a timestamp, of one moment. Stamps are given in the order of commits, so nothing that is
 * committed later has a stamp below the one that is answered. Others than the owner of a folder whose rights changed are told
 * everything anew, what they may no longer read among the deletions.
 */
@Handles(tasks.updates)
export class UpdatesHandler implements Handler<typeof tasks.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly tasks: TaskRepository,
    private readonly view: TaskView,
    private readonly rows: TaskViewRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof tasks.updates>) {
    const folderId = parseTaskFolderId(query.folder);
    const since = Math.min(Math.max(query.timestamp, 0), Number.MAX_SAFE_INTEGER);
    const most = await this.view.getMaxRows(principal);
    const ignoresDeleted = (query.ignore ?? 'deleted').split(',').some((word) => word.trim() === 'deleted');
    const { changed, gone, rightsStamp } = await this.database.read(
      principal,
      async (db) => {
        const folder = await this.view.requireFolder(db, principal, folderId);
        const isOwner = isOwnFolder(folder, principal.userId);
        const rightsStamp = isOwner ? 0 : await this.tasks.getAccessStamp(db, folderId);
        const rightsChanged = rightsStamp > since;
        const forgotten = ignoresDeleted || since === 0 ? 0 : await this.tasks.getForgottenStamp(db);
        if (since < forgotten) throw TaskLimitErrors.resyncNeeded(folderId, since, forgotten);
        const reader = this.view.toReader(principal, [folder], query.timezone);
        const changed = await this.rows.listRows(db, reader, {
          columns: query.columns,
          sort: query.sort,
          order: query.order,
          from: 0,
          maxRows: most + 1,
          filter: { where: 'l.folder_id = $7 and l.last_modified > $8', values: [folderId, rightsChanged ? 0 : since] },
        });
        const gone = ignoresDeleted
          ? { ids: [], newest: 0 }
          : await this.rows.listGone(db, reader, { folderId, since, rightsChanged, maxRows: most + 1 });
        return { changed, gone, rightsStamp };
      },
      { snapshot: true },
    );
    if (changed.count > most || gone.ids.length > most) throw TaskLimitErrors.tooMany(most);
    const separator = changed.count > 0 && gone.ids.length > 0 ? ',' : '';
    return reply<unknown[]>(jsonText(`${changed.rows.slice(0, -1)}${separator}${gone.ids.join()}]`), {
      timestamp: Math.max(since, changed.newest, gone.newest, rightsStamp),
    });
  }
}
