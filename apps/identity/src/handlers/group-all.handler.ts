import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ClientGroups } from '../directory/client-groups';
import { findNewestStamp, toGroupDataOfColumns } from '../directory/entity-views';

/** Lists all groups. */
@Handles(group.all)
export class GroupAllHandler implements Handler<typeof group.all> {
  constructor(private readonly groups: ClientGroups) {}

  async handle({ principal, query }: CallOf<typeof group.all>) {
    const rows = await this.groups.searchGroups(principal, '*');
    return reply(
      rows.map((row) => toGroupDataOfColumns(row, query.columns)),
      { timestamp: findNewestStamp(rows) },
    );
  }
}
