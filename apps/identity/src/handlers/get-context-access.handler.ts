import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toAccessView } from '../domain/module-access';
import { ContextRepository } from '../persistence/context.repository';

/** Reads the module access of a context. */
@Handles(provisioning.getContextAccess)
export class GetContextAccessHandler implements Handler<typeof provisioning.getContextAccess> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getContextAccess>) {
    return toAccessView(await this.database.read(query, (db) => this.contexts.get(db)));
  }
}
