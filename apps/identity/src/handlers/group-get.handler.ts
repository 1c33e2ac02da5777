import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ClientGroups } from '../directory/client-groups';
import { toGroupData, findNewestStamp } from '../directory/entity-views';

/** Reads a group. */
@Handles(group.get)
export class GroupGetHandler implements Handler<typeof group.get> {
  constructor(private readonly groups: ClientGroups) {}

  async handle({ principal, query }: CallOf<typeof group.get>) {
    const rows = await this.groups.getByIds(principal, [query.id]);
    return reply(toGroupData(rows[0]!), { timestamp: findNewestStamp(rows) });
  }
}
