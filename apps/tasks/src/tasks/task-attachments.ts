import { Injectable } from '@nestjs/common';
import { taskEvents } from '@groupware/contracts';
import { AttachmentCounts, type FilesOfObject } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { TaskRepository } from '../persistence/task.repository';
import { TaskWriter } from './task-writer';

/** Module id of attachments on tasks. */
export const TASK_FILES = 4;

/** Writes how many files a task carries. */
@Injectable()
export class TaskAttachments extends AttachmentCounts {
  readonly module = TASK_FILES;

  constructor(
    private readonly tasks: TaskRepository,
    private readonly writer: TaskWriter,
    private readonly clock: Clock,
  ) {
    super();
  }

  async updateCount(tx: Transaction, files: FilesOfObject): Promise<number> {
    const { stamp } = await this.tasks.nextStamp(tx, this.clock.now(), 0);
    const [task] = await this.tasks.lockByIds(tx, [files.object]);
    if (!task) return 0;
    if (!(await this.tasks.updateAttachments(tx, files, stamp))) return task.lastModified;
    this.tasks.touchLinks(tx, task.id, stamp);
    await this.writer.publish(tx, taskEvents['task.changed'], task, files.userId, stamp);
    return stamp;
  }
}
