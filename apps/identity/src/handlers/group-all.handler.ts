import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { groupData, newestOf } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';

/** Lists all groups. */
@Handles(group.all)
export class GroupAllHandler implements Handler<typeof group.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
  ) {}

  async handle({ principal }: CallOf<typeof group.all>) {
    const rows = await this.database.read(principal, (db) => this.groups.search(db, '*'));
    return reply(rows.map(groupData), { timestamp: newestOf(rows) });
  }
}
