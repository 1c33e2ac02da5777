import { loginHistory, RestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { LoginHistoryRepository } from '../persistence/login-history.repository';

/** Counts users by last login within a span. An unavailable shard fails the call instead of lowering the count. */
@Handles(loginHistory.getLoginCounts)
export class GetLoginCountsHandler implements Handler<typeof loginHistory.getLoginCounts> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly history: LoginHistoryRepository,
  ) {}

  async handle({ query }: CallOf<typeof loginHistory.getLoginCounts>) {
    const { startDate, endDate } = query;
    if (startDate >= endDate) throw RestErrors.invalid('startDate is not before endDate');
    if (query.aggregate) {
      const users = await this.database.acrossShards('an operator counts the logins of all contexts', (db) =>
        this.history.countUsers(db, startDate, endDate),
      );
      return { sum: users.reduce((sum, count) => sum + count, 0), clients: [] };
    }
    const counts = new Map<string, number>();
    for (const shard of await this.database.acrossShards('an operator counts the logins of all contexts', (db) =>
      this.history.countByClient(db, startDate, endDate),
    ))
      for (const { client, count } of shard) counts.set(client, (counts.get(client) ?? 0) + count);
    const clients = [...counts]
      .map(([client, count]) => ({ client, count }))
      .sort((a, b) => (a.client < b.client ? -1 : 1));
    return { sum: clients.reduce((sum, { count }) => sum + count, 0), clients };
  }
}
