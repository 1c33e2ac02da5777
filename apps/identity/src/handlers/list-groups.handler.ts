import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { GroupRepository } from '../persistence/group.repository';
import { toPage, parsePageWindow } from '../domain/page';
import { toGroupView } from '../provisioning/views';

/** Lists groups, page by page. */
@Handles(provisioning.listGroups)
export class ListGroupsHandler implements Handler<typeof provisioning.listGroups> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly groups: GroupRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.listGroups>) {
    const rows = await this.database.read(query, async (db) => {
      await this.contexts.get(db);
      return this.groups.list(db, parsePageWindow(query, -1));
    });
    return toPage(rows, query, toGroupView);
  }
}
