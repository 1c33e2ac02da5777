import { contextStorage, type CallOf, type ContextStorage, type Handler } from '@groupware/contracts';
import { OWN_STORE } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { PlaceRepository } from '../persistence/place.repository';

/** Where and how much the context may store. */
@Handles(contextStorage.get)
export class ContextStorageHandler implements Handler<typeof contextStorage.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly places: PlaceRepository,
  ) {}

  async handle({ principal }: CallOf<typeof contextStorage.get>): Promise<ContextStorage> {
    return this.database.read(principal, async (db) => {
      const { filestoreId, quotaMb } = await this.contexts.get(db);
      const room = await this.places.roomOf(db, filestoreId ?? OWN_STORE);
      return {
        filestoreId: filestoreId ?? OWN_STORE,
        quotaMb,
        items: await this.contexts.quotaItems(db),
        ...(room ? { room } : {}),
      };
    });
  }
}
