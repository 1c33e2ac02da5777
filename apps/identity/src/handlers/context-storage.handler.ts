import { contextStorage, type CallOf, type ContextStorage, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';

/** File store and quota of the context. */
@Handles(contextStorage.get)
export class ContextStorageHandler implements Handler<typeof contextStorage.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
  ) {}

  handle({ principal }: CallOf<typeof contextStorage.get>): Promise<ContextStorage> {
    return this.database.read(principal, (db) => this.contexts.getStorage(db));
  }
}
