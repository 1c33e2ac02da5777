import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { pageOfAll } from '../provisioning/page';

/** Lists shards. */
@Handles(installation.listSchemas)
export class ListSchemasHandler implements Handler<typeof installation.listSchemas> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.listSchemas>) {
    return pageOfAll(await this.database.acrossContexts((db) => this.places.shards(db)), query, 'schema');
  }
}
