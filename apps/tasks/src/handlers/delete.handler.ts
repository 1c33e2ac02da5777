import {
  PARTICIPANT_DELETE,
  reply,
  TASK_RIGHTS,
  TaskErrors,
  tasks,
  waiveCheck,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import { CONFIRMATION } from '../domain/task';
import { parseTaskId } from '../domain/task-id';
import { FolderAccess, parseTaskFolderId, requireDeletable } from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';
import { leaveTask } from '../tasks/task-folders';
import { tellAnswer, tellChange } from '../tasks/task-notices';
import { TaskWriter } from '../tasks/task-writer';

/** `delete`: one after the other; the first error ends it, and what is gone before stays gone. */
@Handles(tasks.delete)
export class DeleteHandler implements Handler<typeof tasks.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
    private readonly access: FolderAccess,
    private readonly tasks: TaskRepository,
    private readonly writer: TaskWriter,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof tasks.delete>) {
    if (body.length === 0) waiveCheck(TASK_RIGHTS.remove, 'nothing is named');
    const leavesOnly = (await this.properties.get(PARTICIPANT_DELETE, principal)) === 'self';
    let stamp = 0;
    for (const { id, folder } of body) {
      const place = { id: parseTaskId(id, principal.contextId), folderId: parseTaskFolderId(folder) };
      stamp = await this.remove(principal, place, query.timestamp, leavesOnly);
    }
    return reply<string[]>([], stamp > 0 ? { timestamp: stamp } : {});
  }

  private remove(
    user: UserPrincipal,
    { id, folderId }: { readonly id: number; readonly folderId: number },
    timestamp: number,
    leavesOnly: boolean,
  ): Promise<number> {
    return this.database.transact(user, async (tx) => {
      const folder = (await this.access.lockFolders(tx, user, [folderId])).get(folderId)!;
      await this.writer.lockContext(tx);
      const [task] = await this.tasks.lockByIds(tx, [id]);
      if (!task) throw TaskErrors.notFound(id, user.contextId);
      const link = requireDeletable(task, folder, user);
      if (task.lastModified > timestamp) throw TaskErrors.changedInTheMeantime(id, timestamp, task.lastModified);
      if (leavesOnly && !link.isOrigin && link.userId !== null) {
        const after = leaveTask(task, link.userId);
        const own = { entity: link.userId, confirm: CONFIRMATION.declined, message: null };
        await tellAnswer(tx, task, own);
        return (await this.writer.update(tx, user.userId, { before: task, after })).lastModified;
      }
      await tellChange(tx, user.userId, { before: task });
      return this.writer.remove(tx, user.userId, [task]);
    });
  }
}
