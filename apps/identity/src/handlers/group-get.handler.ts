import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { groupData, newestOf } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';

/** Reads a group. */
@Handles(group.get)
export class GroupGetHandler implements Handler<typeof group.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof group.get>) {
    const row = await this.database.read(principal, (db) => this.groups.get(db, query.id));
    return reply(groupData(row), { timestamp: newestOf([row]) });
  }
}
