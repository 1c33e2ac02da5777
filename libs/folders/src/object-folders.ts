import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  recordCheck,
  type AccessRight,
  type CatalogueError,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';
import { LRUCache } from 'lru-cache';
import { effectiveRights, parseRights, RANK, type Rights } from './domain/rights';
import { filterVisible, isVisible, resolveRights } from './folder-view';
import { FolderRightsRepository } from './persistence/folder-rights.repository';
import type { FolderRights } from './stored-folder';

/** A folder of objects with what a user may do in it. */
export interface AccessedFolder {
  readonly id: number;
  /** Empty where it was not read. */
  readonly title: string;
  readonly isPublic: boolean;
  /** Owner of a private folder. */
  readonly owner: number;
  readonly rights: Rights;
}

/** Folders as a statement needs them, to tell which objects a user may read. */
export interface ReadableFolders {
  /** Folders in which the user reads everything. */
  readonly all: readonly number[];
  /** Folders in which the user reads what that user created. */
  readonly own: readonly number[];
  /** Folders of the user, in which private objects of others are seen, too. */
  readonly owned: readonly number[];
}

/** The facts of an object that rights on it depend on. */
export interface OwnedObject {
  readonly createdBy: number;
  readonly isPrivate: boolean;
}

/** Most folders with rights of users that one process remembers. */
const MAX_REMEMBERED = 10_000;

/**
 * Looks up what a user may do in the folders of a module whose objects have creators and a private flag, in the reader or
 * transaction of the data access.
 */
@Injectable()
export abstract class ObjectFolders {
  /** Folders as users saw them the last time. */
  private readonly remembered = new LRUCache<string, AccessedFolder>({ max: MAX_REMEMBERED });

  constructor(private readonly rights: FolderRightsRepository) {}

  /** The right to read objects of the module. */
  protected abstract readonly readRight: AccessRight;

  /** The error for a folder that the user does not see. */
  protected abstract toInvisibleError(id: number): CatalogueError;

  /** The folder. @throws FLD-0008 when there is none, the error of the module when the user does not see it */
  async requireFolder(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    return this.requireSeen(await this.rights.findRights(db, user, id), id, user);
  }

  /**
   * Reads a folder, and what depends on the rights in it: with the rights of the last time in the same round trip, and once more when
   * the folder that was read meanwhile tells others. Throws like {@link requireFolder}.
   */
  async readInFolder<T>(
    db: Reader,
    user: UserPrincipal,
    id: number,
    read: (folder: AccessedFolder) => Promise<T>,
  ): Promise<T> {
    const key = `${user.contextId}/${user.userId}/${id}`;
    const expected = this.remembered.get(key);
    const [looked, done] = await Promise.allSettled([
      this.requireFolder(db, user, id),
      ...(expected ? [read(expected)] : []),
    ]);
    if (looked.status === 'rejected') {
      this.remembered.delete(key);
      throw looked.reason;
    }
    const folder = looked.value;
    if (done && isDeepStrictEqual(folder, expected)) {
      if (done.status === 'rejected') throw done.reason;
      return done.value;
    }
    this.remembered.set(key, folder);
    return read(folder);
  }

  /** Folders by id; those that do not exist or are not visible are left out. */
  async findFolders(db: Reader, user: UserPrincipal, ids: readonly number[]): Promise<Map<number, AccessedFolder>> {
    const found = await this.rights.listByIds(db, user, [...new Set(ids)]);
    return new Map(filterVisible(found, user).map((folder) => [folder.id, toAccessedFolder(folder, user)]));
  }

  /** Folders for a write: permissions stay as they are until the transaction ends. Throws like {@link requireFolder}. */
  async lockFolders(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder>> {
    const wanted = [...new Set(ids)];
    const found = await this.rights.lockByIds(tx, user, wanted);
    const seen = new Map(found.map((folder) => [folder.id, folder]));
    return new Map(wanted.map((id) => [id, this.requireSeen(seen.get(id), id, user)]));
  }

  /** All folders that the user sees, without their titles. */
  async listVisible(db: Reader, user: UserPrincipal): Promise<AccessedFolder[]> {
    const granted = await this.rights.listGranted(db, user);
    return granted
      .map(({ id, type, createdBy, granted: bits }) => ({
        id,
        title: '',
        isPublic: type === 2,
        owner: createdBy,
        rights: parseRights(effectiveRights(bits, { type, owner: createdBy }, user)),
      }))
      .filter(({ rights }) => rights.folder >= RANK.see);
  }

  private requireSeen(folder: FolderRights | undefined, id: number, user: UserPrincipal): AccessedFolder {
    recordCheck(this.readRight);
    if (!folder) throw FolderErrors.notFound(id);
    if (!isVisible(folder, user)) throw this.toInvisibleError(id);
    return toAccessedFolder(folder, user);
  }
}

/** A folder with what it grants to a user. */
export const toAccessedFolder = (folder: FolderRights, user: UserPrincipal): AccessedFolder => ({
  id: folder.id,
  title: folder.title,
  isPublic: folder.type === 2,
  owner: folder.createdBy,
  rights: parseRights(resolveRights(folder, user)),
});

/** The readable parts of folders for a user. @param right the right to read objects of the module */
export function toReadable(
  right: AccessRight,
  folders: readonly AccessedFolder[],
  { userId }: UserPrincipal,
): ReadableFolders {
  recordCheck(right);
  return {
    all: folders.filter(({ rights }) => rights.read >= RANK.all).map(({ id }) => id),
    own: folders.filter(({ rights }) => rights.read === RANK.own).map(({ id }) => id),
    owned: folders.filter((folder) => isOwnFolder(folder, userId)).map(({ id }) => id),
  };
}

/** True for a private folder of the user. */
export const isOwnFolder = ({ isPublic, owner }: AccessedFolder, userId: number): boolean =>
  !isPublic && owner === userId;

/** True for a private object of another user outside the own folders of this one. */
export const isHidden = (
  { isPrivate, createdBy }: OwnedObject,
  folder: AccessedFolder,
  { userId }: UserPrincipal,
): boolean => isPrivate && createdBy !== userId && !isOwnFolder(folder, userId);
