import { directory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';

/** Users by the login of their mail account, as it was provisioned. */
@Handles(directory.usersOfMailLogin)
export class UsersOfMailLoginHandler implements Handler<typeof directory.usersOfMailLogin> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
  ) {}

  handle({ query }: CallOf<typeof directory.usersOfMailLogin>) {
    return this.database.acrossContexts('a login of a mail server does not tell the context', (db) =>
      this.users.ofMailLogin(db, query.login),
    );
  }
}
