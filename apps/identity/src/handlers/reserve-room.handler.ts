import { randomUUID } from 'node:crypto';
import { contextStorage, FileErrors, type CallOf, type Handler, type ReservedStorage } from '@groupware/contracts';
import { ModuleDatabase, pipeline } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { IdentityConfig } from '../configuration/identity.config';
import { ContextRepository } from '../persistence/context.repository';
import { CapacityRepository } from '../persistence/capacity.repository';

/** Reserves space before anything is stored, so concurrent uploads cannot exceed the file store. */
@Handles(contextStorage.reserve)
export class ReserveRoomHandler implements Handler<typeof contextStorage.reserve> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly capacity: CapacityRepository,
    private readonly clock: Clock,
    private readonly config: IdentityConfig,
  ) {}

  async handle({ principal, query }: CallOf<typeof contextStorage.reserve>): Promise<ReservedStorage> {
    const { storage, limited } = await this.database.read(principal, async (db) => {
      const [found, usedByOthers] = await pipeline(
        this.contexts.getStorage(db),
        this.contexts.getUsedByOthers(db, principal.service),
      );
      return { storage: { ...found, usedByOthers }, limited: await this.capacity.isLimited(db, found.filestoreId) };
    });
    if (!limited) return storage;
    const reservation = await this.database.transact(principal, async (tx) => {
      const [id, now] = [randomUUID(), this.clock.now()];
      const expires = now + this.config.reservationLifeMs;
      const room = { id, storeId: storage.filestoreId, bytes: query.bytes, expires };
      return (await this.capacity.reserveSpace(tx, room, now)) ? id : undefined;
    });
    if (reservation === undefined) throw FileErrors.full();
    return { ...storage, reservation };
  }
}
