import { provisioning, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';

/** Limits of a context. */
@Handles(provisioning.getContextQuota)
export class GetContextQuotaHandler implements Handler<typeof provisioning.getContextQuota> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getContextQuota>) {
    return this.database.read(query, async (db) => {
      const { quotaMb } = await this.contexts.get(db);
      return { filestoreMb: quotaMb, items: await this.contexts.getQuotaItems(db) };
    });
  }
}
