import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';
import { withVersion } from '../provisioning/version';
import { userView } from '../provisioning/views';

/** Reads a user. */
@Handles(provisioning.getUser)
export class GetUserHandler implements Handler<typeof provisioning.getUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getUser>) {
    return withVersion(userView(await this.database.read(query, (db) => this.users.get(db, query.userId))));
  }
}
