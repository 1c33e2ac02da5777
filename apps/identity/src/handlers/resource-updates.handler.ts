import { resource, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toResourceData, findNewestStamp } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';
import { TombstoneRepository } from '../persistence/tombstone.repository';

/** Lists resources changed or deleted since a stamp. */
@Handles(resource.updates)
export class ResourceUpdatesHandler implements Handler<typeof resource.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly tombstones: TombstoneRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof resource.updates>) {
    const { changed, deleted } = await this.database.read(principal, async (db) => ({
      changed: await this.resources.listChangedAfter(db, query.timestamp),
      deleted: await this.tombstones.listDeletedAfter(db, 'resource', query.timestamp),
    }));
    const isNew = ({ createdAt = 0 }: { createdAt?: number }) => createdAt > query.timestamp;
    const stamp = deleted.reduce((newest, { deletedAt }) => Math.max(newest, deletedAt), findNewestStamp(changed));
    return reply(
      {
        new: changed.filter(isNew).map(toResourceData),
        modified: changed.filter((row) => !isNew(row)).map(toResourceData),
        deleted: deleted.map(({ id }) => ({ id })),
      },
      { timestamp: stamp > 0 ? stamp : query.timestamp },
    );
  }
}
