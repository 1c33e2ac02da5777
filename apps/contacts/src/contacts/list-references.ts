import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import type { Contact } from '../domain/contact';
import type { MemberRequest } from '../domain/list-members';
import { FolderAccess, isReadable } from '../folders/folder-access';
import { ContactRepository } from '../persistence/contact.repository';

/** Finds the contacts to which members of distribution lists refer. */
@Injectable()
export class ListReferences {
  constructor(
    private readonly contacts: ContactRepository,
    private readonly access: FolderAccess,
  ) {}

  /** Those of the contacts that the user may read, by id. */
  async findReadable(
    db: Reader,
    user: UserPrincipal,
    requests: readonly MemberRequest[],
  ): Promise<Map<number, Contact>> {
    const ids = [...new Set(requests.flatMap(({ contactId }) => contactId ?? []))];
    if (ids.length === 0) return new Map();
    const found = await this.contacts.listByIds(db, ids);
    const folders = await this.access.findFolders(db, user, [...new Set(found.map(({ folderId }) => folderId))]);
    const readable = found.filter((contact) => {
      const folder = folders.get(contact.folderId);
      return folder !== undefined && isReadable(contact, folder, user);
    });
    return new Map(readable.map((contact) => [contact.id, contact]));
  }
}
