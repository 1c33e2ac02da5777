import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toCombinationView } from '../domain/module-access';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';

/** Reads a named set of flags. */
@Handles(installation.getAccessCombination)
export class GetAccessCombinationHandler implements Handler<typeof installation.getAccessCombination> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly combinations: AccessCombinationRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.getAccessCombination>) {
    const all = await this.database.acrossContexts('combinations belong to the installation', (db) =>
      this.combinations.listAll(db),
    );
    const flags = Object.hasOwn(all, query.name) ? all[query.name] : undefined;
    if (!flags) throw InstallationErrors.noCombination(query.name);
    return toCombinationView(query.name, flags);
  }
}
