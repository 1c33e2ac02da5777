import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { ResourceRepository } from '../persistence/resource.repository';
import { toPage, parsePageWindow } from '../domain/page';
import { toResourceView } from '../provisioning/views';

/** Lists resources, page by page. */
@Handles(provisioning.listResources)
export class ListResourcesHandler implements Handler<typeof provisioning.listResources> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly resources: ResourceRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.listResources>) {
    const rows = await this.database.read(query, async (db) => {
      await this.contexts.get(db);
      return this.resources.list(db, parsePageWindow(query));
    });
    return toPage(rows, query, toResourceView);
  }
}
