import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { combinationView } from '../domain/module-access';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { pageOfAll } from '../provisioning/page';

/** Lists named sets of flags. */
@Handles(installation.listAccessCombinations)
export class ListAccessCombinationsHandler implements Handler<typeof installation.listAccessCombinations> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly combinations: AccessCombinationRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.listAccessCombinations>) {
    const all = await this.database.acrossContexts((db) => this.combinations.all(db));
    const items = Object.entries(all).map(([name, flags]) => combinationView(name, flags));
    return pageOfAll(items, query, 'name');
  }
}
