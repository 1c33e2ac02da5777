import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';
import { toPage, parsePageWindow } from '../domain/page';
import { toUserView } from '../provisioning/views';

/** Lists users, page by page. */
@Handles(provisioning.listUsers)
export class ListUsersHandler implements Handler<typeof provisioning.listUsers> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.listUsers>) {
    const rows = await this.database.read(query, async (db) => {
      await this.contexts.get(db);
      return this.users.list(db, parsePageWindow(query));
    });
    return toPage(rows, query, toUserView);
  }
}
