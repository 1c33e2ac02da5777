import { multifactorAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { UserRepository } from '../persistence/user.repository';

/** Restarts the grace period of a user. */
@Handles(multifactorAdministration.resetMultifactorEnforcement)
export class ResetMultifactorEnforcementHandler implements Handler<
  typeof multifactorAdministration.resetMultifactorEnforcement
> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly devices: FactorDeviceRepository,
  ) {}

  async handle({ query }: CallOf<typeof multifactorAdministration.resetMultifactorEnforcement>) {
    await this.database.transact(query, async (tx) => {
      await this.users.get(tx, query.userId);
      await this.devices.resetLogins(tx, query.userId);
    });
    return undefined;
  }
}
