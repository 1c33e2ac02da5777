import { contextStorage, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';

/** Releases reserved space. */
@Handles(contextStorage.release)
export class ReleaseRoomHandler implements Handler<typeof contextStorage.release> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof contextStorage.release>): Promise<boolean> {
    await this.database.transact(principal, (tx) => this.capacity.releaseSpace(tx, query.reservation));
    return true;
  }
}
