import { directory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';

/** `persons`: the persons behind users. */
@Handles(directory.persons)
export class PersonsHandler implements Handler<typeof directory.persons> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
  ) {}

  handle({ principal, query }: CallOf<typeof directory.persons>) {
    return this.database.read(principal, (db) => this.users.listPersons(db, query.ids));
  }
}
