import { Injectable } from '@nestjs/common';
import {
  FILE_RIGHTS,
  FolderErrors,
  InfostoreErrors,
  parseFolderAddress,
  recordCheck,
  SYSTEM_FOLDERS,
  type UserPrincipal,
} from '@groupware/contracts';
import {
  coversObject,
  effectiveRights,
  FolderRightsRepository,
  isPersonal,
  parseRights,
  RANK,
  resolveRights,
  type Rights,
  type FolderRights,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { OBJECT_BITS, objectBitsOf, type Document } from '../domain/document';
import { isVirtualFolder, SHARED_FILES } from '../domain/document-id';

/** A folder of files with what a user may do in it. */
export interface AccessedFolder {
  readonly id: number;
  readonly rights: Rights;
}

/** The same with what tells kinds of folders apart. */
export interface OwnedFolder extends AccessedFolder {
  readonly owner: number;
  /** It is below the root of public folders. */
  readonly isPublic: boolean;
}

/** Folders as a statement needs them, to tell which documents a user may read and share. */
export interface ReadableFolders {
  /** Folders in which the user reads everything. */
  readonly all: readonly number[];
  /** Folders in which the user reads what that user created. */
  readonly own: readonly number[];
  /** Folders in which the user writes everything. */
  readonly writeAll: readonly number[];
  /** Folders in which the user writes what that user created. */
  readonly writeOwn: readonly number[];
}

const NO_RIGHTS: Rights = parseRights(0);

/** The number of a folder of files. @throws FLD-1025 for a malformed id, IFO-0302 for a folder of another module */
export function parseFileFolderId(id: string): number {
  if (id === String(SYSTEM_FOLDERS.orphanedInfostore)) return SYSTEM_FOLDERS.orphanedInfostore;
  const address = parseFolderAddress(id);
  if (address?.module === 'infostore' && typeof address.key === 'number') return address.key;
  if (!address && !/^\d{1,9}$/.test(id)) throw FolderErrors.badId(id);
  throw InfostoreErrors.notFiles(id);
}

/** The same for a folder that takes documents. @throws IFO-1700 for a folder that holds folders only */
export function parseTargetId(id: string): number {
  const folder = parseFileFolderId(id);
  if (isVirtualFolder(folder)) throw InfostoreErrors.virtualFolder(id);
  return folder;
}

const toAccessedFolder = (folder: FolderRights, user: UserPrincipal): AccessedFolder => ({
  id: folder.id,
  rights: parseRights(resolveRights(folder, user)),
});

/** Looks up what a user may do in a folder of files, in the reader or transaction of the data access. */
@Injectable()
export class FolderAccess {
  constructor(private readonly rights: FolderRightsRepository) {}

  /** A folder in which the user reads something. @throws FLD-0008 when there is none, IFO-0400 */
  async requireReadable(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    const found = await this.rights.findRights(db, user, id);
    recordCheck(FILE_RIGHTS.read);
    if (!found) throw FolderErrors.notFound(id);
    const folder = toAccessedFolder(found, user);
    if (folder.rights.folder < RANK.see || folder.rights.read < RANK.own) throw InfostoreErrors.notReadable(id);
    return folder;
  }

  /** Folders by id; those that do not exist are left out, in others the user may have no rights. */
  async findFolders(db: Reader, user: UserPrincipal, ids: readonly number[]): Promise<Map<number, AccessedFolder>> {
    const found = await this.rights.listByIds(db, user, [...new Set(ids)]);
    return new Map(found.map((folder) => [folder.id, toAccessedFolder(folder, user)]));
  }

  /** The same for a write: permissions stay as they are until the transaction ends. */
  async lockFolders(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder>> {
    const wanted = [...new Set(ids)];
    const found = await this.rights.lockByIds(tx, user, wanted);
    return new Map(found.map((folder) => [folder.id, toAccessedFolder(folder, user)]));
  }

  /** All folders in which the user may read something. */
  async listReadable(db: Reader, user: UserPrincipal): Promise<OwnedFolder[]> {
    const granted = await this.rights.listGranted(db, user);
    return granted
      .map(({ id, createdBy, granted: bits, ...folder }) => ({
        id,
        owner: createdBy,
        isPublic: folder.type === 2 && !isPersonal(folder),
        rights: parseRights(
          effectiveRights(bits, { type: folder.type, owner: createdBy, isPersonal: isPersonal(folder) }, user),
        ),
      }))
      .filter(({ rights }) => rights.folder >= RANK.see && rights.read >= RANK.own);
  }
}

/** The readable parts of folders for a user. */
export function toReadable(folders: readonly AccessedFolder[]): ReadableFolders {
  recordCheck(FILE_RIGHTS.read);
  const seen = folders.filter(({ rights }) => rights.folder >= RANK.see);
  const listIds = (filter: (rights: Rights) => boolean): number[] =>
    seen.filter(({ rights }) => filter(rights)).map(({ id }) => id);
  return {
    all: listIds(({ read }) => read >= RANK.all),
    own: listIds(({ read }) => read === RANK.own),
    writeAll: listIds(({ write }) => write >= RANK.all),
    writeOwn: listIds(({ write }) => write === RANK.own),
  };
}

/** A folder in which the user may create. @throws FLD-0008 when there is none, IFO-0400 when it is not seen, IFO-0402 */
export function requireMayCreate(folder: AccessedFolder | undefined, id: number): AccessedFolder {
  recordCheck(FILE_RIGHTS.create);
  if (!folder) throw FolderErrors.notFound(id);
  if (folder.rights.folder < RANK.see) throw InfostoreErrors.notReadable(id);
  if (folder.rights.folder < RANK.createObjects) throw InfostoreErrors.mustNotCreate(id);
  return folder;
}

/** A folder that may take a document from elsewhere. @throws FLD-0008 when there is none, IFO-0404 */
export function requireMayReceive(folder: AccessedFolder | undefined, id: number): AccessedFolder {
  recordCheck(FILE_RIGHTS.create);
  if (!folder) throw FolderErrors.notFound(id);
  if (folder.rights.folder < RANK.createObjects) throw InfostoreErrors.mustNotCreateInTarget(id);
  return folder;
}

/** Rights of a user on a document. */
export interface DocumentAccess {
  readonly mayRead: boolean;
  readonly mayWrite: boolean;
  readonly mayRemove: boolean;
  /** The user may share the document: by rights on its folder, not on the document alone. */
  readonly mayShare: boolean;
  /** Folder in which the user sees it: its own, or the one of documents that are shared by themselves. */
  readonly seenIn: number;
}

/** Resolves what a user may do with a document: the rights on its folder or those on itself. */
export function resolveAccess(
  document: Document,
  folder: AccessedFolder | undefined,
  user: UserPrincipal,
): DocumentAccess {
  recordCheck(FILE_RIGHTS.read);
  recordCheck(FILE_RIGHTS.write);
  recordCheck(FILE_RIGHTS.remove);
  const rights = folder && folder.rights.folder >= RANK.see ? folder.rights : NO_RIGHTS;
  const isOwn = document.createdBy === user.userId;
  const bits = objectBitsOf(document, user);
  const readsFolder = coversObject(rights.read, isOwn);
  return {
    mayRead: readsFolder || bits >= OBJECT_BITS.read,
    mayWrite: coversObject(rights.write, isOwn) || bits >= OBJECT_BITS.write,
    mayRemove: coversObject(rights.remove, isOwn),
    mayShare: !user.guest && coversObject(rights.write, isOwn),
    seenIn: readsFolder ? document.folderId : SHARED_FILES,
  };
}
