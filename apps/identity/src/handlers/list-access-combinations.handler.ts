import { installation, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toCombinationView } from '../domain/module-access';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { paginateList } from '../domain/page';

/** Lists named sets of flags. */
@Handles(installation.listAccessCombinations)
export class ListAccessCombinationsHandler implements Handler<typeof installation.listAccessCombinations> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly combinations: AccessCombinationRepository,
  ) {}

  async handle({ query }: CallOf<typeof installation.listAccessCombinations>) {
    const all = await this.database.acrossContexts('combinations belong to the installation', (db) =>
      this.combinations.listAll(db),
    );
    const items = Object.entries(all).map(([name, flags]) => toCombinationView(name, flags));
    return paginateList(items, query, 'name');
  }
}
