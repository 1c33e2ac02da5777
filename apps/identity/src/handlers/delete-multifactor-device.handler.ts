import { multifactorAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { MultifactorErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { FactorProviders } from '../multifactor/factor-providers';
import { FactorRegistration } from '../multifactor/factor-registration';
import { UserRepository } from '../persistence/user.repository';

/** Removes one second factor of a user. */
@Handles(multifactorAdministration.deleteMultifactorDevice)
export class DeleteMultifactorDeviceHandler implements Handler<
  typeof multifactorAdministration.deleteMultifactorDevice
> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly devices: FactorDeviceRepository,
    private readonly providers: FactorProviders,
    private readonly registration: FactorRegistration,
  ) {}

  async handle({ principal, query }: CallOf<typeof multifactorAdministration.deleteMultifactorDevice>) {
    await this.database.transact(query, async (tx) => {
      await this.users.get(tx, query.userId);
      const { name } = this.providers.getByName(query.providerName);
      const all = await this.devices.listByUser(tx, query.userId);
      const device = all.find(({ id, provider }) => id === query.deviceId.toLowerCase() && provider === name);
      if (!device) throw MultifactorErrors.unknownDevice();
      await this.registration.removeWithBackups(tx, device, all, principal.login);
    });
    return undefined;
  }
}
