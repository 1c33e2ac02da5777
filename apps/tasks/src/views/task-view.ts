import { Injectable } from '@nestjs/common';
import {
  TASK_RIGHTS,
  jsonText,
  MAX_TASK_RESULTS,
  parseRowRange,
  reply,
  TaskLimitErrors,
  type Reply,
  type TaskOrderQuery,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { toReadable, type AccessedFolder, type ObjectFilter } from '@groupware/folders';
import { requestZone } from '../domain/task-id';
import { FolderAccess, requireReads } from '../folders/folder-access';
import { TaskViewRepository, type TaskReader } from '../persistence/task-view.repository';
import { FIRST_FILTER_PARAMETER, IN_FIRST_FOLDER } from '../persistence/task.columns';

/** Lists tasks for users. */
@Injectable()
export class TaskView {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly view: TaskViewRepository,
    private readonly properties: Properties,
  ) {}

  /** Converts a user to a reader of these folders. */
  toReader(user: UserPrincipal, folders: readonly AccessedFolder[], timezone: string | undefined): TaskReader {
    return { user, readable: toReadable(TASK_RIGHTS.read, folders, user), zone: requestZone(timezone, user.timeZone) };
  }

  /** Most rows of one answer. */
  getMaxRows({ contextId }: UserPrincipal): Promise<number> {
    return this.properties.get(MAX_TASK_RESULTS, { contextId });
  }

  /** Reads tasks of a folder in which the user reads something. @throws FLD-0008, TSK-0059, TSK-0023 */
  readInFolder<T>(
    db: Reader,
    user: UserPrincipal,
    folderId: number,
    read: (folder: AccessedFolder) => Promise<T>,
  ): Promise<T> {
    return this.access.readInFolder(db, user, folderId, async (folder) => {
      requireReads(folder);
      return read(folder);
    });
  }

  /**
   * Answers the tasks of a folder, or of all that the user may read, that meet a condition. A task that is seen in several
   * folders is answered once, in the first of them. @throws FLD-0008, TSK-0059, TSK-0023, TASK-0001
   */
  async list(
    user: UserPrincipal,
    query: TaskOrderQuery,
    folderId: number | undefined,
    filter: ObjectFilter = { where: 'true', values: [] },
  ): Promise<Reply<unknown[][]>> {
    const most = await this.getMaxRows(user);
    const range = parseRowRange(query, most + 1);
    const listRows = (db: Reader, folders: readonly AccessedFolder[], wanted: ObjectFilter) =>
      this.view.listRows(db, this.toReader(user, folders, query.timezone), {
        columns: query.columns,
        sort: query.sort,
        order: query.order,
        ...range,
        filter: wanted,
      });
    const found = await this.database.read(user, async (db) =>
      folderId === undefined
        ? listRows(db, await this.access.listReadable(db, user), {
            ...filter,
            where: `${IN_FIRST_FOLDER} and (${filter.where})`,
          })
        : this.readInFolder(db, user, folderId, (folder) => listRows(db, [folder], inFolder(folderId, filter))),
    );
    if (found.count > most) throw TaskLimitErrors.tooMany(most);
    return reply<unknown[][]>(jsonText(found.rows), { timestamp: found.newest });
  }
}

/** The condition for tasks of a folder. */
const inFolder = (folderId: number, { where, values }: ObjectFilter): ObjectFilter => ({
  where: `l.folder_id = $${FIRST_FILTER_PARAMETER + values.length} and (${where})`,
  values: [...values, folderId],
});
