import { installation, InstallationErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { COMBINATIONS } from '../domain/module-access';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Removes a named set of flags. */
@Handles(installation.deleteAccessCombination)
export class DeleteAccessCombinationHandler implements Handler<typeof installation.deleteAccessCombination> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly combinations: AccessCombinationRepository,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, query }: CallOf<typeof installation.deleteAccessCombination>) {
    const { name } = query;
    if (Object.hasOwn(COMBINATIONS, name)) throw InstallationErrors.combinationFixed(name);
    const removed = await this.database.acrossContexts('combinations belong to the installation', async (db) => {
      const before = { flags: (await this.combinations.listAll(db))[name] };
      if (!(await this.combinations.delete(db, name))) {
        if (query.missingOk) return false;
        throw InstallationErrors.noCombination(name);
      }
      await this.audit.record(db, principal, { action: 'delete', kind: 'access-combination', objectId: name, before });
      return true;
    });
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}
