import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ClientGroups } from '../directory/client-groups';
import { toGroupData, findNewestStamp } from '../directory/entity-views';

/** Finds groups by name. */
@Handles(group.search)
export class GroupSearchHandler implements Handler<typeof group.search> {
  constructor(private readonly groups: ClientGroups) {}

  async handle({ principal, body }: CallOf<typeof group.search>) {
    const rows = await this.groups.searchGroups(principal, body.pattern);
    return reply(rows.map(toGroupData), { timestamp: findNewestStamp(rows) });
  }
}
