import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';
import { ContextRepository } from '../persistence/context.repository';
import { toPage, parsePageWindow } from '../domain/page';
import { toContextView } from '../provisioning/views';

/** Lists contexts, page by page. */
@Handles(provisioning.listContexts)
export class ListContextsHandler implements Handler<typeof provisioning.listContexts> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly resellers: Resellers,
  ) {}

  async handle({ principal, query }: CallOf<typeof provisioning.listContexts>) {
    const { after, limit } = parsePageWindow(query);
    const scope = await this.resellers.findScope(principal);
    const rows = await this.database.acrossContexts('an operator sees all contexts', (db) =>
      this.contexts.list(db, { ...query, scope, after, limit }),
    );
    return toPage(rows, query, toContextView);
  }
}
