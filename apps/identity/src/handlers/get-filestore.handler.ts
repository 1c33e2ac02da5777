import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';

/** Reads a file store with its use. */
@Handles(installation.getFilestore)
export class GetFilestoreHandler implements Handler<typeof installation.getFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.getFilestore>) {
    const store = await this.database.acrossContexts('file stores belong to the installation', (db) =>
      this.capacity.findFilestore(db, query.filestoreId),
    );
    if (!store) throw InstallationErrors.noFilestore(query.filestoreId);
    return store;
  }
}
