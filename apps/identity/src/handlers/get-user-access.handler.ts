import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { accessView } from '../domain/module-access';
import { UserRepository } from '../persistence/user.repository';

/** What a user may use. */
@Handles(provisioning.getUserAccess)
export class GetUserAccessHandler implements Handler<typeof provisioning.getUserAccess> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getUserAccess>) {
    return accessView(await this.database.read(query, (db) => this.users.get(db, query.userId)));
  }
}
