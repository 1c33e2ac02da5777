import { multifactorAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { FactorPolicy } from '../multifactor/factor-policy';
import { PropertyRepository } from '../configuration/property.repository';
import { UserRepository } from '../persistence/user.repository';

/** State of the enforcement of second factors for a user. */
@Handles(multifactorAdministration.getLoginInformation)
export class GetLoginInformationHandler implements Handler<typeof multifactorAdministration.getLoginInformation> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly properties: PropertyRepository,
    private readonly policy: FactorPolicy,
  ) {}

  async handle({ query }: CallOf<typeof multifactorAdministration.getLoginInformation>) {
    return this.database.read(query, async (db) => {
      await this.users.get(db, query.userId);
      return this.policy.getLoginInformation(db, query.userId, await this.properties.getEffective(db, query.userId));
    });
  }
}
