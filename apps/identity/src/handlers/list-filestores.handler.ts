import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { pageOfAll } from '../provisioning/page';

/** Lists file stores with their use. */
@Handles(installation.listFilestores)
export class ListFilestoresHandler implements Handler<typeof installation.listFilestores> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.listFilestores>) {
    return pageOfAll(await this.database.acrossContexts((db) => this.places.filestores(db)), query, 'id');
  }
}
