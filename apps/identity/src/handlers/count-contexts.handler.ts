import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';

/** Counts contexts. */
@Handles(installation.countContexts)
export class CountContextsHandler implements Handler<typeof installation.countContexts> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.countContexts>) {
    return {
      count: await this.database.acrossContexts('an operator counts all contexts', (db) =>
        this.contexts.count(db, query),
      ),
    };
  }
}
