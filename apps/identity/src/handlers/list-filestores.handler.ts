import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';
import { paginateList } from '../domain/page';

/** Lists file stores with their use. */
@Handles(installation.listFilestores)
export class ListFilestoresHandler implements Handler<typeof installation.listFilestores> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.listFilestores>) {
    return paginateList(
      await this.database.acrossContexts('file stores belong to the installation', (db) =>
        this.capacity.listFilestores(db),
      ),
      query,
      'id',
    );
  }
}
