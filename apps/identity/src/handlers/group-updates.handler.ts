import { group, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toGroupData, findNewestStamp } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';
import { TombstoneRepository } from '../persistence/tombstone.repository';

/** Lists groups changed or deleted since a stamp. */
@Handles(group.updates)
export class GroupUpdatesHandler implements Handler<typeof group.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly tombstones: TombstoneRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof group.updates>) {
    const { changed, deleted } = await this.database.read(principal, async (db) => ({
      changed: await this.groups.listChangedAfter(db, query.timestamp),
      deleted: await this.tombstones.listDeletedAfter(db, 'group', query.timestamp),
    }));
    const isNew = ({ createdAt = 0 }: { createdAt?: number }) => createdAt > query.timestamp;
    const stamp = deleted.reduce((newest, { deletedAt }) => Math.max(newest, deletedAt), findNewestStamp(changed));
    return reply(
      {
        new: changed.filter(isNew).map(toGroupData),
        modified: changed.filter((row) => !isNew(row)).map(toGroupData),
        deleted: deleted.map(({ id }) => ({ id })),
      },
      { timestamp: stamp > 0 ? stamp : query.timestamp },
    );
  }
}
