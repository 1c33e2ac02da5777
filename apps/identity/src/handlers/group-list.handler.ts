import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ClientGroups } from '../directory/client-groups';
import { toGroupData, findNewestStamp } from '../directory/entity-views';

/** Reads groups by id. */
@Handles(group.list)
export class GroupListHandler implements Handler<typeof group.list> {
  constructor(private readonly groups: ClientGroups) {}

  async handle({ principal, body }: CallOf<typeof group.list>) {
    const rows = await this.groups.getByIds(
      principal,
      body.map(({ id }) => id),
    );
    return reply(rows.map(toGroupData), { timestamp: findNewestStamp(rows) });
  }
}
