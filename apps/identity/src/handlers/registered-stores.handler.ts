import { contextStorage, type CallOf, type Handler, type RegisteredStore } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';

/** Lists file stores; credentials stay sealed. */
@Handles(contextStorage.stores)
export class RegisteredStoresHandler implements Handler<typeof contextStorage.stores> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
  ) {}

  handle(_call: CallOf<typeof contextStorage.stores>): Promise<RegisteredStore[]> {
    return this.database.acrossContexts('file stores belong to the installation', (db) =>
      this.capacity.listRegisteredStores(db),
    );
  }
}
