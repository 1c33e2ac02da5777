import { loginHistory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { LoginHistoryRepository } from '../persistence/login-history.repository';
import { UserRepository } from '../persistence/user.repository';

/** Last login of a user with each client. */
@Handles(loginHistory.getLastLoginTimestamps)
export class GetLastLoginTimestampsHandler implements Handler<typeof loginHistory.getLastLoginTimestamps> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly history: LoginHistoryRepository,
  ) {}

  async handle({ query }: CallOf<typeof loginHistory.getLastLoginTimestamps>) {
    const client = query.client && query.client !== '*' ? query.client : null;
    const timestamps = await this.database.read(query, async (db) => {
      await this.users.get(db, query.userId);
      return this.history.listByUser(db, query.userId, client);
    });
    return { timestamps };
  }
}
