import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';

/** Reads a shard. */
@Handles(installation.getSchema)
export class GetSchemaHandler implements Handler<typeof installation.getSchema> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.getSchema>) {
    const shard = await this.database.acrossContexts('shards belong to the installation', (db) =>
      this.capacity.findShard(db, query.schema),
    );
    if (!shard) throw InstallationErrors.noSchema(query.schema);
    return shard;
  }
}
