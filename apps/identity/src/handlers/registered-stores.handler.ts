import { contextStorage, type CallOf, type Handler, type RegisteredStore } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';

/** File stores with what opens them; credentials stay sealed. */
@Handles(contextStorage.stores)
export class RegisteredStoresHandler implements Handler<typeof contextStorage.stores> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
  ) {}

  handle(_call: CallOf<typeof contextStorage.stores>): Promise<RegisteredStore[]> {
    return this.database.acrossContexts((db) => this.places.registeredStores(db));
  }
}
