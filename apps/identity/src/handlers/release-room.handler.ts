import { contextStorage, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';

/** `release`: gives back room that was set aside. */
@Handles(contextStorage.release)
export class ReleaseRoomHandler implements Handler<typeof contextStorage.release> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof contextStorage.release>): Promise<boolean> {
    await this.database.transact(principal, (tx) => this.places.release(tx, query.reservation));
    return true;
  }
}
