import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toCombinationView, COMBINATIONS, parseFlags } from '../domain/module-access';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Creates or replaces a named combination. */
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
    const flags = parseFlags(body.flags);
    await this.database.acrossContexts('combinations belong to the installation', async (db) => {
      const former = (await this.combinations.listAll(db))[name];
      await this.combinations.upsert(db, name, flags);
      await this.audit.record(db, principal, {
        action: 'set',
        kind: 'access-combination',
        objectId: name,
        ...(former ? { before: { flags: former } } : {}),
        after: { flags },
      });
    });
    return toCombinationView(name, flags);
  }
}
