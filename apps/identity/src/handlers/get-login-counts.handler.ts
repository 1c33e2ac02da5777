import { loginHistory, RestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { LoginHistoryRepository } from '../persistence/login-history.repository';

/** How many users logged in last within a span. A shard that does not answer fails the call: no number is silently smaller. */
@Handles(loginHistory.getLoginCounts)
export class GetLoginCountsHandler implements Handler<typeof loginHistory.getLoginCounts> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly history: LoginHistoryRepository,
  ) {}

  async handle({ query }: CallOf<typeof loginHistory.getLoginCounts>) {
    const { startDate, endDate } = query;
    if (startDate >= endDate) throw RestErrors.invalid('startDate is not before endDate');
    if (query.aggregate?.toLowerCase() === 'true') {
      const users = await this.database.acrossShards((db) => this.history.countUsers(db, startDate, endDate));
      return { sum: users.reduce((sum, count) => sum + count, 0), clients: [] };
    }
    const counts = new Map<string, number>();
    for (const shard of await this.database.acrossShards((db) => this.history.countByClient(db, startDate, endDate)))
      for (const { client, count } of shard) counts.set(client, (counts.get(client) ?? 0) + count);
    const clients = [...counts]
      .map(([client, count]) => ({ client, count }))
      .sort((a, b) => (a.client < b.client ? -1 : 1));
    return { sum: clients.reduce((sum, { count }) => sum + count, 0), clients };
  }
}
