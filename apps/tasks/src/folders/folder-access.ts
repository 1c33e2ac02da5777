import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  isUnusedFolderId,
  parseFolderAddress,
  recordCheck,
  TASK_RIGHTS,
  TaskErrors,
  type UserPrincipal,
} from '@groupware/contracts';
import { coversObject, isHidden, ObjectFolders, RANK, type AccessedFolder, type OwnedObject } from '@groupware/folders';
import type { Reader } from '@groupware/persistence';
import type { Task, TaskLink } from '../domain/task';

/** The number of a folder of tasks; undefined for what is none. Costs no exception where many are asked for. */
export function findTaskFolderId(id: string): number | undefined {
  const address = parseFolderAddress(id);
  return address?.module === 'tasks' ? Number(address.key) : undefined;
}

/**
 * The number of a folder of tasks.
 * @throws FLD-1025 for a malformed id, FLD-0008 for one that no folder has, TSK-0006 for a folder of another module
 */
export function parseTaskFolderId(id: string): number {
  const number = findTaskFolderId(id);
  if (number !== undefined) return number;
  if (!parseFolderAddress(id) && !/^\d{1,9}$/.test(id)) throw FolderErrors.badId(id);
  if (isUnusedFolderId(id)) throw FolderErrors.notFound(id);
  throw TaskErrors.notTasks(id);
}

/** Looks up what a user may do in a folder of tasks; one that is not seen is TSK-0059. */
@Injectable()
export class FolderAccess extends ObjectFolders {
  protected readonly readRight = TASK_RIGHTS.read;
  protected readonly toInvisibleError = TaskErrors.folderNotVisible;

  /** All folders in which the user may read something. */
  async listReadable(db: Reader, user: UserPrincipal): Promise<AccessedFolder[]> {
    const visible = await this.listVisible(db, user);
    return visible.filter(({ rights }) => rights.read >= RANK.own);
  }
}

/** Refuses a folder in which the user reads nothing (TSK-0023). */
export function requireReads({ id, rights }: AccessedFolder): void {
  recordCheck(TASK_RIGHTS.read);
  if (rights.read < RANK.own) throw TaskErrors.notReadable(id);
}

/** True when the user reads a task that is in the folder. */
export function isReadable(task: OwnedObject, folder: AccessedFolder, user: UserPrincipal): boolean {
  recordCheck(TASK_RIGHTS.read);
  return coversObject(folder.rights.read, task.createdBy === user.userId) && !isHidden(task, folder, user);
}

/** The link of a task to a folder. @throws TSK-0046, TSK-0023 when the user does not read the task there */
export function requireReadable(task: Task, folder: AccessedFolder, user: UserPrincipal): TaskLink {
  requireReads(folder);
  const link = task.links.find(({ folderId }) => folderId === folder.id);
  if (!link || isHidden(task, folder, user)) throw TaskErrors.notVisible(task.id, folder.id);
  if (!coversObject(folder.rights.read, task.createdBy === user.userId)) throw TaskErrors.notReadable(folder.id);
  return link;
}

/** Refuses a folder in which the user may create nothing (TSK-0025). */
export function requireMayCreate({ id, rights }: AccessedFolder): void {
  recordCheck(TASK_RIGHTS.create);
  if (rights.folder < RANK.createObjects) throw TaskErrors.mustNotCreate(id);
}

/** The link of a task to a folder. @throws TSK-0048 when it is not there */
function requireLink(task: Task, folder: AccessedFolder, user: UserPrincipal): TaskLink {
  const link = task.links.find(({ folderId }) => folderId === folder.id);
  if (!link || isHidden(task, folder, user)) throw TaskErrors.wrongFolder(task.id, folder.id);
  return link;
}

/** The link of a task to a folder in which the user may write it. @throws TSK-0048, TSK-0033 */
export function requireWritable(task: Task, folder: AccessedFolder, user: UserPrincipal): TaskLink {
  recordCheck(TASK_RIGHTS.write);
  const link = requireLink(task, folder, user);
  if (!coversObject(folder.rights.write, task.createdBy === user.userId)) throw TaskErrors.mustNotWrite(folder.id);
  return link;
}

/** The link of a task to a folder from which the user may delete it. @throws TSK-0048, TSK-0014 */
export function requireDeletable(task: Task, folder: AccessedFolder, user: UserPrincipal): TaskLink {
  recordCheck(TASK_RIGHTS.remove);
  const link = requireLink(task, folder, user);
  if (!coversObject(folder.rights.remove, task.createdBy === user.userId)) throw TaskErrors.mustNotDelete(folder.id);
  return link;
}
