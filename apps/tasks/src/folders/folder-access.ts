import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  parseFolderAddress,
  recordCheck,
  TASK_RIGHTS,
  TaskErrors,
  type UserPrincipal,
} from '@groupware/contracts';
import {
  coversObject,
  effectiveRights,
  filterVisible,
  FolderRepository,
  FolderRightsRepository,
  isVisible,
  parseRights,
  RANK,
  resolveRights,
  type Rights,
  type SeenFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Task, TaskLink } from '../domain/task';

/** A folder of tasks with what a user may do in it. */
export interface AccessedFolder {
  readonly id: number;
  /** Empty where it was not asked for. */
  readonly title: string;
  readonly isPublic: boolean;
  /** Owner of a private folder. */
  readonly owner: number;
  readonly rights: Rights;
}

/** Folders as a statement needs them, to tell which tasks a user may read. */
export interface ReadableFolders {
  /** Folders in which the user reads everything. */
  readonly all: readonly number[];
  /** Folders in which the user reads what that user created. */
  readonly own: readonly number[];
  /** Folders of the user, in which private tasks of others are seen, too. */
  readonly owned: readonly number[];
}

/** Fields that rights on a task depend on. */
type OwnedTask = Pick<Task, 'createdBy' | 'isPrivate'>;

/** The number of a folder of tasks; undefined for what is none. Costs no exception where many are asked for. */
export function findTaskFolderId(id: string): number | undefined {
  const address = parseFolderAddress(id);
  return address?.module === 'tasks' ? Number(address.key) : undefined;
}

/** The number of a folder of tasks. @throws FLD-1025 for a malformed id, TSK-0006 for a folder of another module */
export function parseTaskFolderId(id: string): number {
  const number = findTaskFolderId(id);
  if (number !== undefined) return number;
  if (!parseFolderAddress(id) && !/^\d{1,9}$/.test(id)) throw FolderErrors.badId(id);
  throw TaskErrors.notTasks(id);
}

const toAccessedFolder = (folder: SeenFolder, user: UserPrincipal): AccessedFolder => ({
  id: folder.id,
  title: folder.title,
  isPublic: folder.type === 2,
  owner: folder.createdBy,
  rights: parseRights(resolveRights(folder, user)),
});

/** Looks up what a user may do in a folder of tasks, in the reader or transaction of the data access. */
@Injectable()
export class FolderAccess {
  constructor(
    private readonly folders: FolderRepository,
    private readonly rights: FolderRightsRepository,
  ) {}

  /** The folder. @throws FLD-0008 when there is none, TSK-0059 when the user does not see it */
  async requireFolder(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    return requireSeen(await this.folders.findVisible(db, user, id), id, user);
  }

  /** Folders by id; those that do not exist or are not visible are left out. */
  async findFolders(db: Reader, user: UserPrincipal, ids: readonly number[]): Promise<Map<number, AccessedFolder>> {
    const found = await this.folders.listVisibleByIds(db, user, [...new Set(ids)]);
    return new Map(filterVisible(found, user).map((folder) => [folder.id, toAccessedFolder(folder, user)]));
  }

  /** Folders for a write: permissions stay as they are until the transaction ends. @throws FLD-0008, TSK-0059 */
  async lockFolders(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder>> {
    const wanted = [...new Set(ids)];
    const found = await this.folders.lockVisibleByIds(tx, user, wanted);
    const seen = new Map(found.map((folder) => [folder.id, folder]));
    return new Map(wanted.map((id) => [id, requireSeen(seen.get(id), id, user)]));
  }

  /** All folders in which the user may read something. */
  async listReadable(db: Reader, user: UserPrincipal): Promise<AccessedFolder[]> {
    const granted = await this.rights.listGranted(db, user);
    return granted
      .map((folder) => {
        const { id, type, createdBy } = folder;
        const bits = effectiveRights(folder.granted, { type, owner: createdBy }, user);
        return { id, title: '', isPublic: type === 2, owner: createdBy, rights: parseRights(bits) };
      })
      .filter(({ rights }) => rights.folder >= RANK.see && rights.read >= RANK.own);
  }
}

function requireSeen(folder: SeenFolder | undefined, id: number, user: UserPrincipal): AccessedFolder {
  recordCheck(TASK_RIGHTS.read);
  if (!folder) throw FolderErrors.notFound(id);
  if (!isVisible(folder, user)) throw TaskErrors.folderNotVisible(id);
  return toAccessedFolder(folder, user);
}

/** The readable parts of folders for a user. */
export function toReadable(folders: readonly AccessedFolder[], { userId }: UserPrincipal): ReadableFolders {
  recordCheck(TASK_RIGHTS.read);
  return {
    all: folders.filter(({ rights }) => rights.read >= RANK.all).map(({ id }) => id),
    own: folders.filter(({ rights }) => rights.read === RANK.own).map(({ id }) => id),
    owned: folders.filter((folder) => isOwnFolder(folder, userId)).map(({ id }) => id),
  };
}

/** True for a private folder of the user. */
export const isOwnFolder = ({ isPublic, owner }: AccessedFolder, userId: number): boolean =>
  !isPublic && owner === userId;

/** Refuses a folder in which the user reads nothing (TSK-0023). */
export function requireReads({ id, rights }: AccessedFolder): void {
  recordCheck(TASK_RIGHTS.read);
  if (rights.read < RANK.own) throw TaskErrors.notReadable(id);
}

const isHidden = ({ isPrivate, createdBy }: OwnedTask, folder: AccessedFolder, { userId }: UserPrincipal): boolean =>
  isPrivate && createdBy !== userId && !isOwnFolder(folder, userId);

/** True when the user reads a task that is in the folder. */
export function isReadable(task: OwnedTask, folder: AccessedFolder, user: UserPrincipal): boolean {
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
