import { Injectable } from '@nestjs/common';
import {
  CONTACT_RIGHTS,
  ContactErrors,
  FolderErrors,
  localText,
  parseFolderAddress,
  recordCheck,
  SYSTEM_FOLDERS,
  type UserPrincipal,
} from '@groupware/contracts';
import {
  coversObject,
  effectiveRights,
  FolderRepository,
  FolderRightsRepository,
  type GrantedRights,
  filterVisible,
  isVisible,
  parseRights,
  RANK,
  type Rights,
  type SeenFolder,
} from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Contact } from '../domain/contact';

/** A folder of contacts with what a user may do in it. */
export interface AccessedFolder {
  readonly id: number;
  readonly isPublic: boolean;
  /** Owner of a private folder. */
  readonly owner: number;
  readonly rights: Rights;
}

/** Folders as a statement needs them, to tell which contacts a user may read. */
export interface ReadableFolders {
  /** Folders in which he reads everything. */
  readonly all: readonly number[];
  /** Folders in which he reads what he created. */
  readonly own: readonly number[];
  /** Folders of his own, in which he sees private contacts of others, too. */
  readonly owned: readonly number[];
}

/**
 * The number of a folder of contacts; newer clients know it as `con://0/<number>`.
 * @throws FLD-1025 for a malformed id, CON-0103 for a folder of another module
 */
export function parseContactFolderId(id: string): number {
  const address = parseFolderAddress(id);
  if (address?.module === 'contacts') return Number(address.key);
  if (!address && !/^\d{1,9}$/.test(id)) throw FolderErrors.badId(id);
  throw ContactErrors.notContacts(id);
}

const toAccessedFolder = (folder: GrantedRights, user: UserPrincipal): AccessedFolder => ({
  id: folder.id,
  isPublic: folder.type === 2,
  owner: folder.createdBy,
  rights: parseRights(effectiveRights(folder.granted, { type: folder.type, owner: folder.createdBy }, user)),
});

/** Users see all users, and change their own entry. */
const GLOBAL_RIGHTS: Rights = { folder: RANK.see, read: RANK.all, write: RANK.own, remove: RANK.none, admin: false };
/** Without the address book of all users: only himself. */
const OWN_RIGHTS: Rights = { ...GLOBAL_RIGHTS, folder: RANK.none, read: RANK.own };

/** The address book of all users with what a user may do in it; guests have none. */
export const findGlobalAddressBook = ({ capabilities, guest }: UserPrincipal): AccessedFolder => ({
  id: SYSTEM_FOLDERS.globalAddressBook,
  isPublic: true,
  owner: 0,
  rights: guest ? { ...OWN_RIGHTS, read: RANK.none } : capabilities.includes('gab') ? GLOBAL_RIGHTS : OWN_RIGHTS,
});

/** Looks up what a user may do in a folder of contacts, in the reader or transaction of the data access. */
@Injectable()
export class FolderAccess {
  constructor(
    private readonly folders: FolderRepository,
    private readonly rights: FolderRightsRepository,
  ) {}

  /** The folder. @throws FLD-0008 when there is none, CON-0104 when the user does not see it */
  async requireFolder(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    if (id === SYSTEM_FOLDERS.globalAddressBook) return findGlobalAddressBook(user);
    return requireSeen(await this.folders.findVisible(db, user, id), id, user);
  }

  /** The name of a folder that the user sees. */
  async getTitle(db: Reader, user: UserPrincipal, id: number): Promise<string> {
    if (id === SYSTEM_FOLDERS.globalAddressBook) return localText('folder.globalAddressBook', user.locale);
    return (await this.folders.findVisible(db, user, id))?.title ?? '';
  }

  /** Folders by id; those that do not exist or are not visible are left out. */
  async findFolders(db: Reader, user: UserPrincipal, ids: readonly number[]): Promise<Map<number, AccessedFolder>> {
    const found = await this.folders.listVisibleByIds(db, user, [...new Set(ids)]);
    const stored = filterVisible(found, user).map((folder) => toAccessedFolder(folder, user));
    return new Map([...stored, findGlobalAddressBook(user)].map((folder) => [folder.id, folder]));
  }

  /** Folders for a write: permissions stay as they are until the transaction ends. @throws FLD-0008, CON-0104 */
  async lockFolders(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder>> {
    const wanted = [...new Set(ids)].filter((id) => id !== SYSTEM_FOLDERS.globalAddressBook);
    const found = await this.folders.lockVisibleByIds(tx, user, wanted);
    const seen = new Map(found.map((folder) => [folder.id, folder]));
    const stored = wanted.map((id) => requireSeen(seen.get(id), id, user));
    return new Map([...stored, findGlobalAddressBook(user)].map((folder) => [folder.id, folder]));
  }

  /** All folders that the user sees. */
  async listVisible(db: Reader, user: UserPrincipal): Promise<AccessedFolder[]> {
    const granted = await this.rights.listGranted(db, user);
    const stored = granted
      .map((folder) => toAccessedFolder(folder, user))
      .filter(({ rights }) => rights.folder >= RANK.see);
    return [...stored, findGlobalAddressBook(user)];
  }
}

function requireSeen(folder: SeenFolder | undefined, id: number, user: UserPrincipal): AccessedFolder {
  recordCheck(CONTACT_RIGHTS.read);
  if (!folder) throw FolderErrors.notFound(id);
  if (!isVisible(folder, user)) throw ContactErrors.notReadable(id);
  return toAccessedFolder(folder, user);
}

/** The readable parts of folders for a user. */
export function toReadable(folders: readonly AccessedFolder[], { userId }: UserPrincipal): ReadableFolders {
  recordCheck(CONTACT_RIGHTS.read);
  return {
    all: folders.filter(({ rights }) => rights.read >= RANK.all).map(({ id }) => id),
    own: folders.filter(({ rights }) => rights.read === RANK.own).map(({ id }) => id),
    owned: folders.filter(({ isPublic, owner }) => !isPublic && owner === userId).map(({ id }) => id),
  };
}

/** Refuses a folder in which the user reads nothing (CON-0104). */
export function requireReads({ id, rights }: AccessedFolder): void {
  recordCheck(CONTACT_RIGHTS.read);
  if (rights.read < RANK.own) throw ContactErrors.notReadable(id);
}

/** Whether the user may read a contact of the folder: the rights cover it, and it is not private to others. */
export function isReadable(contact: Contact, folder: AccessedFolder, { userId }: UserPrincipal): boolean {
  recordCheck(CONTACT_RIGHTS.read);
  const own = contact.createdBy === userId;
  if (!coversObject(folder.rights.read, own)) return false;
  return !contact.isPrivate || own || (!folder.isPublic && folder.owner === userId);
}

/** Refuses a folder in which the user may create nothing (CON-0112). */
export function requireMayCreate({ id, rights }: AccessedFolder): void {
  recordCheck(CONTACT_RIGHTS.create);
  if (rights.folder < RANK.createObjects) throw ContactErrors.mustNotCreate(id);
}

/** Refuses a folder in which the user may write nothing, or a contact that his right does not cover (CON-0176). */
export function requireWritable(contact: Contact, folder: AccessedFolder, user: UserPrincipal): void {
  recordCheck(CONTACT_RIGHTS.write);
  const mayWrite = coversObject(folder.rights.write, contact.createdBy === user.userId);
  if (!mayWrite || !isReadable(contact, folder, user)) throw ContactErrors.mustNotChange(contact.id);
}

/** Refuses a contact that the user may not delete from the folder (CON-0169). */
export function requireDeletable(contact: Contact, folder: AccessedFolder, user: UserPrincipal): void {
  recordCheck(CONTACT_RIGHTS.remove);
  const mayDelete = coversObject(folder.rights.remove, contact.createdBy === user.userId);
  if (!mayDelete || (contact.isPrivate && !isReadable(contact, folder, user)))
    throw ContactErrors.mustNotDelete(folder.id);
}
