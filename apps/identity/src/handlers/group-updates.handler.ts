import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { groupData, newestOf } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';
import { TombstoneRepository } from '../persistence/tombstone.repository';

/** What changed among the groups since a stamp. */
@Handles(group.updates)
export class GroupUpdatesHandler implements Handler<typeof group.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly tombstones: TombstoneRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof group.updates>) {
    const { changed, deleted } = await this.database.read(principal, async (db) => ({
      changed: await this.groups.changedAfter(db, query.timestamp),
      deleted: await this.tombstones.deletedAfter(db, 'group', query.timestamp),
    }));
    const isNew = ({ createdAt = 0 }: { createdAt?: number }) => createdAt > query.timestamp;
    const stamp = deleted.reduce((newest, { deletedAt }) => Math.max(newest, deletedAt), newestOf(changed));
    return reply(
      {
        new: changed.filter(isNew).map(groupData),
        modified: changed.filter((row) => !isNew(row)).map(groupData),
        deleted: deleted.map(({ id }) => ({ id })),
      },
      { timestamp: stamp > 0 ? stamp : query.timestamp },
    );
  }
}
