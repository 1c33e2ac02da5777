import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { groupData, newestOf } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';

/** Finds groups by name. */
@Handles(group.search)
export class GroupSearchHandler implements Handler<typeof group.search> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
  ) {}

  async handle({ principal, body }: CallOf<typeof group.search>) {
    const rows = await this.database.read(principal, (db) => this.groups.search(db, body.pattern));
    return reply(rows.map(groupData), { timestamp: newestOf(rows) });
  }
}
