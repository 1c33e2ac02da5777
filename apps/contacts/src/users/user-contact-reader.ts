import { Injectable } from '@nestjs/common';
import { CONTACT_RIGHTS, contactIdOfUser, recordCheck, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ContactRepository } from '../persistence/contact.repository';
import { UserContacts } from './user-contacts';

/** Fields that users are told of others without the address book of all users, by names on the wire. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'folder_id', 'user_id', 'display_name', 'first_name', 'last_name', 'second_name', 'suffix', 'title'],
  ...['department', 'email1', 'telephone_business1', 'number_of_images', 'image1_url', 'mark_as_distributionlist'],
]);

/** Whether a user may know a field of the contact of another one. */
export function isShownOf(user: UserPrincipal, userId: number, field: string): boolean {
  recordCheck(CONTACT_RIGHTS.read);
  return user.userId === userId || user.capabilities.includes('gab') || PUBLIC_FIELDS.has(field);
}

/** Makes sure that users have contacts before they are read. */
@Injectable()
export class UserContactReader {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contacts: ContactRepository,
    private readonly users: UserContacts,
  ) {}

  /** Loads the users whose contacts are not there yet: their event may still be on its way. */
  async ensureContacts(user: UserPrincipal, userIds: readonly number[]): Promise<void> {
    const ids = userIds.map(contactIdOfUser);
    const found = await this.database.read(user, (db) => this.contacts.listIdsAmong(db, ids));
    const missing = userIds.filter((userId) => !found.has(contactIdOfUser(userId)));
    if (missing.length > 0) await this.users.refresh(user, missing);
  }
}
