import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';

/** Reads a shard. */
@Handles(installation.getSchema)
export class GetSchemaHandler implements Handler<typeof installation.getSchema> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.getSchema>) {
    const shard = await this.database.acrossContexts((db) => this.places.shard(db, query.schema));
    if (!shard) throw InstallationErrors.noSchema(query.schema);
    return shard;
  }
}
