import { multifactorAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { UserRepository } from '../persistence/user.repository';

/** Second factors of a user, without their secrets. */
@Handles(multifactorAdministration.listMultifactorDevices)
export class ListMultifactorDevicesHandler implements Handler<typeof multifactorAdministration.listMultifactorDevices> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly devices: FactorDeviceRepository,
  ) {}

  async handle({ query }: CallOf<typeof multifactorAdministration.listMultifactorDevices>) {
    const all = await this.database.read(query, async (db) => {
      await this.users.get(db, query.userId);
      return this.devices.listByUser(db, query.userId);
    });
    return all.map(({ id, name, provider, enabled, backup }) => ({
      id,
      name,
      providerName: provider,
      enabled,
      backup,
    }));
  }
}
