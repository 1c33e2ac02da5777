import { authentication, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AppPasswords } from '../app-passwords/app-passwords';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/** Creates an application password for a device that set itself up. */
@Handles(authentication.devicePassword)
export class DevicePasswordHandler implements Handler<typeof authentication.devicePassword> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly contexts: ContextRepository,
    private readonly factors: FactorDeviceRepository,
    private readonly passwords: AppPasswords,
  ) {}

  async handle({ principal, query }: CallOf<typeof authentication.devicePassword>) {
    const { contextId } = principal;
    const { userId, login, scope, name, showedFactor = true } = query;
    const isOpen = await this.database.read({ contextId }, async (db) => {
      const user = await this.users.findById(db, userId);
      if (user?.enabled !== true || (await this.contexts.findCurrent(db))?.enabled !== true) return false;
      return showedFactor || (await this.factors.countUsable(db, userId)) === 0;
    });
    return isOpen
      ? this.passwords.createAppPassword({ contextId, userId, login, scope, name, showedFactor: true })
      : null;
  }
}
