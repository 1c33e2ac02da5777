import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { toVersionedReply } from '../provisioning/version';
import { toContextView } from '../provisioning/views';

/** Reads a context. */
@Handles(provisioning.getContext)
export class GetContextHandler implements Handler<typeof provisioning.getContext> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getContext>) {
    return toVersionedReply(toContextView(await this.database.read(query, (db) => this.contexts.get(db))));
  }
}
