import { group, GroupErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { groupData, inOrder, newestOf } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';

/** Reads groups by id. */
@Handles(group.list)
export class GroupListHandler implements Handler<typeof group.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
  ) {}

  async handle({ principal, body }: CallOf<typeof group.list>) {
    const ids = body.map(({ id }) => id);
    const found = await this.database.read(principal, (db) => this.groups.byIds(db, ids));
    const rows = inOrder(ids, found, (id) => GroupErrors.notFound(id, principal.contextId));
    return reply(rows.map(groupData), { timestamp: newestOf(rows) });
  }
}
