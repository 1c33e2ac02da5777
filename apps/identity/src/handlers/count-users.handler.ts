import { provisioning, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/** Counts the users of a context. */
@Handles(provisioning.countUsers)
export class CountUsersHandler implements Handler<typeof provisioning.countUsers> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.countUsers>) {
    return this.database.read(query, async (db) => {
      await this.contexts.get(db);
      return { count: await this.users.count(db) };
    });
  }
}
