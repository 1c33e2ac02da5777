import { multifactorDevice, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { toDeviceView } from '../multifactor/factor-registration';

/** Second factors of the user. */
@Handles(multifactorDevice.all)
export class MultifactorDevicesHandler implements Handler<typeof multifactorDevice.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly devices: FactorDeviceRepository,
  ) {}

  async handle({ principal }: CallOf<typeof multifactorDevice.all>) {
    const all = await this.database.read(principal, (db) => this.devices.listByUser(db, principal.userId));
    return all.map(toDeviceView);
  }
}
