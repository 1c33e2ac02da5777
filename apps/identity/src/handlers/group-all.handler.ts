import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ClientGroups } from '../directory/client-groups';
import { groupData, newestOf } from '../directory/entity-views';

/** Lists all groups. */
@Handles(group.all)
export class GroupAllHandler implements Handler<typeof group.all> {
  constructor(private readonly groups: ClientGroups) {}

  async handle({ principal }: CallOf<typeof group.all>) {
    const rows = await this.groups.search(principal, '*');
    return reply(rows.map(groupData), { timestamp: newestOf(rows) });
  }
}
