import { Injectable } from '@nestjs/common';
import { CONTACT_RIGHTS, type UserPrincipal } from '@groupware/contracts';
import { Directory, toUserPrincipal } from '@groupware/directory';
import { toReadable } from '@groupware/folders';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import type { Contact, StoredMember } from '../domain/contact';
import { FolderAccess, isReadable } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';

/** Finds the contacts to which members of distribution lists refer, and the users whose lists they are. */
@Injectable()
export class ListReferences {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly directory: Directory,
    private readonly contacts: ContactRepository,
    private readonly access: FolderAccess,
  ) {}

  /** Those of the contacts that the user may read, by id. */
  async findReadable(
    db: Reader,
    user: UserPrincipal,
    members: readonly { readonly contactId?: number | null }[],
  ): Promise<Map<number, Contact>> {
    const ids = [...new Set(members.flatMap(({ contactId }) => contactId ?? []))];
    if (ids.length === 0) return new Map();
    const found = await this.contacts.listByIds(db, ids);
    const folders = await this.access.findFolders(db, user, [...new Set(found.map(({ folderId }) => folderId))]);
    const readable = found.filter((contact) => {
      const folder = folders.get(contact.folderId);
      return folder !== undefined && isReadable(contact, folder, user);
    });
    return new Map(readable.map((contact) => [contact.id, contact]));
  }

  /** The members of lists by the id of the list, as a user may see them. */
  async mapMembers(
    db: Reader,
    user: UserPrincipal,
    listIds: readonly number[],
  ): Promise<ReadonlyMap<number, StoredMember[]>> {
    if (listIds.length === 0) return new Map();
    const readable = toReadable(CONTACT_RIGHTS.read, await this.access.listVisible(db, user), user);
    return this.contacts.mapMembers(db, user.userId, readable, listIds);
  }

  /** Loads the other users who created lists that a contact is in: asks the directory, so before a transaction. */
  async loadListCreators(user: UserPrincipal, contactId: number): Promise<UserPrincipal[]> {
    const ids = await this.database.read(user, (db) => this.contacts.listListCreators(db, contactId));
    const others = ids.filter((id) => id !== user.userId);
    if (others.length === 0) return [];
    const entities = await this.directory.getEntities(user, others);
    return [...entities.values()].flatMap((entity) =>
      entity.kind === 'user' ? [toUserPrincipal(user.contextId, entity)] : [],
    );
  }

  /** Those of the users who may read a contact. */
  async listReaders(db: Reader, users: readonly UserPrincipal[], contact: Contact): Promise<number[]> {
    const readers: number[] = [];
    for (const user of users) {
      const folder = (await this.access.findFolders(db, user, [contact.folderId])).get(contact.folderId);
      if (folder && isReadable(contact, folder, user)) readers.push(user.userId);
    }
    return readers;
  }
}
