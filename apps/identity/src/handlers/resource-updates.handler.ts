import { resource, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { resourceData, newestOf } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';
import { TombstoneRepository } from '../persistence/tombstone.repository';

/** What changed among the resources since a stamp. */
@Handles(resource.updates)
export class ResourceUpdatesHandler implements Handler<typeof resource.updates> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly tombstones: TombstoneRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof resource.updates>) {
    const { changed, deleted } = await this.database.read(principal, async (db) => ({
      changed: await this.resources.changedAfter(db, query.timestamp),
      deleted: await this.tombstones.deletedAfter(db, 'resource', query.timestamp),
    }));
    const isNew = ({ createdAt = 0 }: { createdAt?: number }) => createdAt > query.timestamp;
    const stamp = deleted.reduce((newest, { deletedAt }) => Math.max(newest, deletedAt), newestOf(changed));
    return reply(
      {
        new: changed.filter(isNew).map(resourceData),
        modified: changed.filter((row) => !isNew(row)).map(resourceData),
        deleted: deleted.map(({ id }) => ({ id })),
      },
      { timestamp: stamp > 0 ? stamp : query.timestamp },
    );
  }
}
