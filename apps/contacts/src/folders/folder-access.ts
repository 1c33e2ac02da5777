import { Injectable } from '@nestjs/common';
import {
  CONTACT_RIGHTS,
  ContactErrors,
  FolderErrors,
  isUnusedFolderId,
  localText,
  parseFolderAddress,
  recordCheck,
  SYSTEM_FOLDERS,
  type UserPrincipal,
} from '@groupware/contracts';
import { coversObject, isHidden, ObjectFolders, RANK, type AccessedFolder, type Rights } from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import type { Contact } from '../domain/contact';

/**
 * The number of a folder of contacts; newer clients know it as `con://0/<number>`.
 * @throws FLD-1025 for a malformed id, FLD-0008 for one that no folder has, CON-0103 for a folder of another module
 */
export function parseContactFolderId(id: string): number {
  const address = parseFolderAddress(id);
  if (address?.module === 'contacts') return Number(address.key);
  if (!address && !/^\d{1,9}$/.test(id)) throw FolderErrors.badId(id);
  if (isUnusedFolderId(id)) throw FolderErrors.notFound(id);
  throw ContactErrors.notContacts(id);
}

/** Users see all users, and change their own entry. */
const GLOBAL_RIGHTS: Rights = { folder: RANK.see, read: RANK.all, write: RANK.own, remove: RANK.none, admin: false };
/** Without the address book of all users: only himself. */
const OWN_RIGHTS: Rights = { ...GLOBAL_RIGHTS, folder: RANK.none, read: RANK.own };

/** The address book of all users with what a user may do in it; guests have none. */
export const findGlobalAddressBook = ({ capabilities, guest, locale }: UserPrincipal): AccessedFolder => ({
  id: SYSTEM_FOLDERS.globalAddressBook,
  title: localText('folder.globalAddressBook', locale),
  isPublic: true,
  owner: 0,
  rights: guest ? { ...OWN_RIGHTS, read: RANK.none } : capabilities.includes('gab') ? GLOBAL_RIGHTS : OWN_RIGHTS,
});

/** Looks up what a user may do in a folder of contacts, the address book of all users among them; one that is not seen is CON-0104. */
@Injectable()
export class FolderAccess extends ObjectFolders {
  protected readonly readRight = CONTACT_RIGHTS.read;
  protected readonly toInvisibleError = ContactErrors.notReadable;

  override async requireFolder(db: Reader, user: UserPrincipal, id: number): Promise<AccessedFolder> {
    return id === SYSTEM_FOLDERS.globalAddressBook ? findGlobalAddressBook(user) : super.requireFolder(db, user, id);
  }

  override async findFolders(
    db: Reader,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder>> {
    return withGlobalAddressBook(await super.findFolders(db, user, ids), user);
  }

  override async lockFolders(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
  ): Promise<Map<number, AccessedFolder>> {
    const stored = ids.filter((id) => id !== SYSTEM_FOLDERS.globalAddressBook);
    return withGlobalAddressBook(await super.lockFolders(tx, user, stored), user);
  }

  override async listVisible(db: Reader, user: UserPrincipal): Promise<AccessedFolder[]> {
    return [...(await super.listVisible(db, user)), findGlobalAddressBook(user)];
  }
}

const withGlobalAddressBook = (
  folders: Map<number, AccessedFolder>,
  user: UserPrincipal,
): Map<number, AccessedFolder> => folders.set(SYSTEM_FOLDERS.globalAddressBook, findGlobalAddressBook(user));

/** Refuses a folder in which the user reads nothing (CON-0104). */
export function requireReads({ id, rights }: AccessedFolder): void {
  recordCheck(CONTACT_RIGHTS.read);
  if (rights.read < RANK.own) throw ContactErrors.notReadable(id);
}

/** Whether the user may read a contact of the folder: the rights cover it, and it is not private to others. */
export function isReadable(contact: Contact, folder: AccessedFolder, user: UserPrincipal): boolean {
  recordCheck(CONTACT_RIGHTS.read);
  return coversObject(folder.rights.read, contact.createdBy === user.userId) && !isHidden(contact, folder, user);
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
