import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';
import { paginateList } from '../domain/page';

/** Lists shards. */
@Handles(installation.listSchemas)
export class ListSchemasHandler implements Handler<typeof installation.listSchemas> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.listSchemas>) {
    return paginateList(
      await this.database.acrossContexts('shards belong to the installation', (db) => this.capacity.listShards(db)),
      query,
      'schema',
    );
  }
}
