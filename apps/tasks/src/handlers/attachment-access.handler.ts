import { RequestErrors, taskAttachments, TaskErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FolderAccess, parseTaskFolderId, requireReadable, requireWritable } from '../folders/folder-access';
import { TaskRepository } from '../persistence/task.repository';

/** `access`: rights on the files of a task follow those on the task. */
@Handles(taskAttachments.access)
export class AttachmentAccessHandler implements Handler<typeof taskAttachments.access> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly tasks: TaskRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof taskAttachments.access>): Promise<boolean> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('a question about attachments needs a user');
    if (!user.capabilities.includes('tasks')) throw RequestErrors.noModulePermission('tasks');
    const folderId = parseTaskFolderId(String(query.folder));
    return this.database.read(user, async (db) => {
      const folder = await this.access.requireFolder(db, user, folderId);
      const [task] = await this.tasks.listByIds(db, [query.object]);
      if (!task) throw TaskErrors.notFound(query.object, user.contextId);
      requireReadable(task, folder, user);
      if (query.write) requireWritable(task, folder, user);
      return true;
    });
  }
}
