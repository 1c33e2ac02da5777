import { Injectable } from '@nestjs/common';
import { taskEvents, type EventType, type TaskChange } from '@groupware/contracts';
import { isSameStored } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { listUsers, type NewTask, type Task } from '../domain/task';
import { TaskRepository } from '../persistence/task.repository';
import { TaskQuota } from './task-quota';

/** A task before and after a change. */
export interface ChangedTask {
  readonly before: Task;
  readonly after: Task;
}

/** Writes tasks with their stamps, tombstones and events. */
@Injectable()
export class TaskWriter {
  constructor(
    private readonly tasks: TaskRepository,
    private readonly quota: TaskQuota,
    private readonly clock: Clock,
  ) {}

  /**
   * Lets one transaction of the context at a time write tasks. First, before tasks are locked, so that writers of several
   * tasks do not meet in a deadlock.
   */
  async lockContext(tx: Transaction): Promise<void> {
    await this.tasks.nextStamp(tx, this.clock.now(), 0);
  }

  /**
   * Stores new tasks.
   * @param limit most tasks of the context, as {@link TaskQuota} knows it
   * @throws QUOTA-0003
   */
  async create(tx: Transaction, userId: number, created: readonly NewTask[], limit: number): Promise<Task[]> {
    const { stamp, id } = await this.tasks.nextStamp(tx, this.clock.now(), created.length);
    const stored = created.map((task, index) => ({
      ...task,
      id: id + index,
      createdBy: task.createdBy ?? userId,
      modifiedBy: userId,
      created: stamp,
      lastModified: stamp,
    }));
    this.tasks.insert(tx, stored);
    for (const task of stored) await this.publish(tx, taskEvents['task.created'], task, userId, stamp);
    await this.quota.requireRoomFor(tx, stored.length, limit);
    return stored;
  }

  /** Stores a change; returns the task as it is stored. */
  async update(tx: Transaction, userId: number, { before, after }: ChangedTask): Promise<Task> {
    const { stamp } = await this.tasks.nextStamp(tx, this.clock.now(), 0);
    const stored = { ...after, modifiedBy: userId, lastModified: stamp };
    this.tasks.update(tx, stored);
    if (!isSameStored(before.participants, after.participants))
      this.tasks.replaceParticipants(tx, after.id, after.participants);
    if (before.links === after.links) this.tasks.touchLinks(tx, after.id, stamp);
    else this.tasks.replaceLinks(tx, before, stored);
    await this.publish(tx, taskEvents['task.changed'], stored, userId, stamp, before);
    return stored;
  }

  /** Deletes tasks for all participants; returns the stamp of the deletion. */
  async remove(tx: Transaction, userId: number, removed: readonly Task[]): Promise<number> {
    const { stamp } = await this.tasks.nextStamp(tx, this.clock.now(), 0);
    this.tasks.remove(tx, removed, stamp);
    for (const task of removed) await this.publish(tx, taskEvents['task.deleted'], task, userId, stamp);
    return stamp;
  }

  /** Tells of a change of a task. */
  publish(
    tx: Transaction,
    event: EventType<TaskChange>,
    task: Task,
    by: number,
    stamp: number,
    before: Task = task,
  ): Promise<void> {
    return tx.publish(event, {
      id: task.id,
      folders: [...new Set([...task.links, ...before.links].map(({ folderId }) => folderId))],
      users: [...new Set([task.createdBy, ...listUsers(task.participants), ...listUsers(before.participants)])],
      uid: task.uid,
      by,
      stamp,
    });
  }
}
