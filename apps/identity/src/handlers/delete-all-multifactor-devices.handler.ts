import { multifactorAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { FactorRegistration } from '../multifactor/factor-registration';
import { UserRepository } from '../persistence/user.repository';

/** Removes all second factors of a user; sessions stay. */
@Handles(multifactorAdministration.deleteAllMultifactorDevices)
export class DeleteAllMultifactorDevicesHandler implements Handler<
  typeof multifactorAdministration.deleteAllMultifactorDevices
> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly devices: FactorDeviceRepository,
    private readonly registration: FactorRegistration,
  ) {}

  async handle({ principal, query }: CallOf<typeof multifactorAdministration.deleteAllMultifactorDevices>) {
    await this.database.transact(query, async (tx) => {
      await this.users.get(tx, query.userId);
      for (const device of await this.devices.listByUser(tx, query.userId))
        await this.registration.removeWithBackups(tx, device, [], principal.login);
    });
    return undefined;
  }
}
