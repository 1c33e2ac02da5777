import {
  ContactErrors,
  contactIdOfUser,
  contacts,
  reply,
  type CallOf,
  type ContactData,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { findGlobalAddressBook } from '../folders/folder-access';
import { ContactViewRepository } from '../persistence/contact-view.repository';
import { isShownOf, UserContactReader } from '../users/user-contact-reader';
import { ContactView } from '../views/contact-view';

/** `getuser`: the contact of a user. */
@Handles(contacts.getuser)
export class GetuserHandler implements Handler<typeof contacts.getuser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserContactReader,
    private readonly view: ContactView,
    private readonly rows: ContactViewRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof contacts.getuser>) {
    const userId = query.id;
    const id = contactIdOfUser(userId);
    if (id > MAX_ID) throw ContactErrors.notFound(userId, principal.contextId);
    await this.users.ensureContacts(principal, [userId]);
    const reader = this.view.toReader(principal, [findGlobalAddressBook(principal)], query);
    const data = await this.database.read(principal, (db) => this.rows.findData(db, reader, id));
    if (data?.user_id !== userId) throw ContactErrors.notFound(userId, principal.contextId);
    const shown = Object.entries(data).filter(([name]) => isShownOf(principal, userId, name));
    return reply(Object.fromEntries(shown) as ContactData, { timestamp: data.last_modified_utc! });
  }
}

const MAX_ID = 2 ** 31 - 1;
