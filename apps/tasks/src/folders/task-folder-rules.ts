import { Injectable } from '@nestjs/common';
import { localText, taskEvents, type FolderCounts } from '@groupware/contracts';
import {
  FolderModuleRules,
  forEachPage,
  ObjectReminderRepository,
  type CountedFolder,
  type FolderUser,
  type Handover,
  type ObjectRemoval,
  type RankedFolder,
  type StoredFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import type { Task } from '../domain/task';
import { FolderContentRepository } from '../persistence/folder-content.repository';
import { TaskRepository } from '../persistence/task.repository';
import { leaveTask, withoutFolders } from '../tasks/task-folders';
import { TaskWriter } from '../tasks/task-writer';

const BATCH = 500;

/** Rules of folders of tasks for the folder kit. */
@Injectable()
export class TaskFolderRules extends FolderModuleRules {
  readonly module = 'tasks';
  readonly events = taskEvents;

  constructor(
    private readonly content: FolderContentRepository,
    private readonly tasks: TaskRepository,
    private readonly reminders: ObjectReminderRepository,
    private readonly writer: TaskWriter,
    private readonly clock: Clock,
  ) {
    super();
  }

  defaultTitle(locale: string): string {
    return localText('folder.tasks', locale);
  }

  override countObjects(
    db: Reader,
    folders: readonly CountedFolder[],
    user: FolderUser,
  ): Promise<ReadonlyMap<number, FolderCounts>> {
    return this.content.countReadable(db, folders, user.userId);
  }

  undeletable(db: Reader, folders: readonly RankedFolder[], user: FolderUser): Promise<ReadonlySet<number>> {
    return this.content.listUndeletable(db, folders, user.userId);
  }

  override removeContext(tx: Transaction): Promise<void> {
    return this.tasks.removeContext(tx);
  }

  /** Tasks that were made there go; delegated ones that are only seen there lose the participant. */
  async removeObjects(tx: Transaction, folders: readonly RankedFolder[], { userId }: ObjectRemoval): Promise<void> {
    await this.writer.lockContext(tx);
    for (let after = 0; ;) {
      const some = await this.content.listDeletable(tx, folders, userId, after, BATCH);
      if (some.size === 0) return;
      const found = await this.tasks.lockByIds(tx, [...some.keys()]);
      const isMadeThere = ({ id, links }: Task): boolean =>
        links.some(({ folderId, isOrigin }) => isOrigin && some.get(id)!.has(folderId));
      const own = found.filter(isMadeThere);
      if (own.length > 0) await this.writer.remove(tx, userId, own);
      for (const task of found)
        if (!isMadeThere(task))
          await this.writer.update(tx, userId, { before: task, after: withoutFolders(task, some.get(task.id)!) });
      await tx.flush();
      after = Math.max(...some.keys());
    }
  }

  override async permissionsChanged(tx: Transaction, folderIds: readonly number[]): Promise<void> {
    const { stamp } = await this.tasks.nextStamp(tx, this.clock.now(), 0);
    await this.tasks.recordAccessChange(tx, folderIds, stamp);
  }

  async handOver(tx: Transaction, folders: readonly StoredFolder[], { userId, heir }: Handover): Promise<void> {
    await this.writer.lockContext(tx);
    const list = (after: number) => this.content.listIdsByParticipant(tx, userId, after, BATCH);
    await forEachPage(list, async (some) => {
      for (const task of await this.tasks.lockByIds(tx, some))
        await this.writer.update(tx, userId, { before: task, after: leaveTask(task, userId) });
      await tx.flush();
    });
    await this.reminders.removeUser(tx, userId);
    if (!heir) return;
    const { stamp } = await this.tasks.nextStamp(tx, this.clock.now(), 0);
    await this.content.replaceAuthor(tx, userId, heir.userId, stamp);
    if (folders.length === 0) return;
    await this.content.reassign(
      tx,
      folders.map(({ id }) => id),
      userId,
      heir.userId,
      stamp,
    );
  }
}
