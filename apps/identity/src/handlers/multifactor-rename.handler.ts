import { multifactorDevice, type CallOf, type Handler } from '@groupware/contracts';
import { MultifactorErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { toDeviceView } from '../multifactor/factor-registration';
import { FactorProviders } from '../multifactor/factor-providers';
import { SecondFactors } from '../multifactor/second-factors';

/** Gives a device another name. */
@Handles(multifactorDevice.rename)
export class MultifactorRenameHandler implements Handler<typeof multifactorDevice.rename> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly devices: FactorDeviceRepository,
    private readonly providers: FactorProviders,
    private readonly factors: SecondFactors,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof multifactorDevice.rename>) {
    const name = body.name?.trim();
    if (!body.id) throw MultifactorErrors.missingParameter('id');
    if (!name) throw MultifactorErrors.missingParameter('name');
    const provider = this.providers.getByName(query.providerName);
    const device = await this.factors.getDevice(principal, provider.name, body.id);
    await this.database.transact(principal, (tx) => this.devices.updateName(tx, device.id, name));
    return toDeviceView({ ...device, name });
  }
}
