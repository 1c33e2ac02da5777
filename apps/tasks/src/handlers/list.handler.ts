import { findObjectNumber, jsonText, reply, tasks, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FolderAccess, findTaskFolderId } from '../folders/folder-access';
import { TaskViewRepository } from '../persistence/task-view.repository';
import { TaskView } from '../views/task-view';

/** `list`: tasks by id, in the order asked for; what is not there or not readable is left out. */
@Handles(tasks.list)
export class ListHandler implements Handler<typeof tasks.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly view: TaskView,
    private readonly rows: TaskViewRepository,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof tasks.list>) {
    const references = body.flatMap(({ id, folder }) => {
      const number = findObjectNumber(id);
      const folderId = findTaskFolderId(folder);
      return number === undefined || folderId === undefined ? [] : [{ id: number, folderId }];
    });
    const found = await this.database.read(principal, async (db) => {
      const folders = await this.access.findFolders(
        db,
        principal,
        references.map(({ folderId }) => folderId),
      );
      const reader = this.view.toReader(principal, [...folders.values()], query.timezone);
      return this.rows.listRowsByIds(db, reader, query.columns, references);
    });
    const byPlace = new Map(found.map((row) => [`${row.folderId}/${row.id}`, row]));
    const rows = references.flatMap(({ id, folderId }) => byPlace.get(`${folderId}/${id}`) ?? []);
    const newest = rows.reduce((latest, { lastModified }) => Math.max(latest, lastModified), 0);
    return reply<unknown[][]>(jsonText(`[${rows.map(({ cells }) => cells).join()}]`), { timestamp: newest });
  }
}
