import { randomUUID } from 'node:crypto';
import { contextStorage, FileErrors, type CallOf, type Handler, type ReservedStorage } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { IdentityConfig } from '../identity.config';
import { ContextRepository } from '../persistence/context.repository';
import { PlaceRepository } from '../persistence/place.repository';

/** `reserve`: room in the file store, set aside before anything is stored: uploads at the same time cannot pass its size. */
@Handles(contextStorage.reserve)
export class ReserveRoomHandler implements Handler<typeof contextStorage.reserve> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly places: PlaceRepository,
    private readonly clock: Clock,
    private readonly config: IdentityConfig,
  ) {}

  async handle({ principal, query }: CallOf<typeof contextStorage.reserve>): Promise<ReservedStorage> {
    const { storage, limited } = await this.database.read(principal, async (db) => {
      const found = await this.contexts.storage(db);
      return { storage: found, limited: await this.places.isLimited(db, found.filestoreId) };
    });
    if (!limited) return storage;
    const [id, now] = [randomUUID(), this.clock.now()];
    const isReserved = await this.database.transact(principal, (tx) =>
      this.places.reserve(
        tx,
        { id, storeId: storage.filestoreId, bytes: query.bytes, expires: now + this.config.reservationLifeMs },
        now,
      ),
    );
    if (!isReserved) throw FileErrors.full();
    return { ...storage, reservation: id };
  }
}
