import { directory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';

/** `contacts`: data of users for address cards. */
@Handles(directory.contacts)
export class ContactsHandler implements Handler<typeof directory.contacts> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
  ) {}

  handle({ principal, query }: CallOf<typeof directory.contacts>) {
    return this.database.read(principal, (db) => this.users.contacts(db, query.ids));
  }
}
