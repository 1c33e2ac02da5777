import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { combinationView, COMBINATIONS, knownFlags } from '../domain/module-access';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Makes or replaces a named set of flags. */
@Handles(installation.setAccessCombination)
export class SetAccessCombinationHandler implements Handler<typeof installation.setAccessCombination> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly combinations: AccessCombinationRepository,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof installation.setAccessCombination>) {
    const { name } = query;
    if (Object.hasOwn(COMBINATIONS, name)) throw InstallationErrors.combinationFixed(name);
    const flags = knownFlags(body.flags);
    await this.database.acrossContexts(async (db) => {
      const former = (await this.combinations.all(db))[name];
      await this.combinations.set(db, name, flags);
      await this.audit.add(db, principal, {
        action: 'set',
        kind: 'access-combination',
        objectId: name,
        ...(former ? { before: { flags: former } } : {}),
        after: { flags },
      });
    });
    return combinationView(name, flags);
  }
}
