import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toAccessView } from '../domain/module-access';
import { toEffectiveAccess, UserRepository } from '../persistence/user.repository';

/** Reads the module access of a user. */
@Handles(provisioning.getUserAccess)
export class GetUserAccessHandler implements Handler<typeof provisioning.getUserAccess> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getUserAccess>) {
    const user = await this.database.read(query, (db) => this.users.get(db, query.userId));
    return toAccessView(toEffectiveAccess(user));
  }
}
