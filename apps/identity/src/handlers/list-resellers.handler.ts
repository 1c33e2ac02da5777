import { type CallOf, type Handler, resellers } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toSearchPattern } from '../domain/search-pattern';
import { ResellerRepository } from '../configuration/reseller.repository';
import { DEFAULT_LIMIT, selectFields } from '../domain/page';
import { toResellerView } from '../provisioning/reseller-editor';

/** Lists resellers, page by page. */
@Handles(resellers.listResellers)
export class ListResellersHandler implements Handler<typeof resellers.listResellers> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ResellerRepository,
  ) {}

  async handle({ query }: CallOf<typeof resellers.listResellers>) {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const pattern = query.q === undefined ? null : toSearchPattern(query.q);
    const rows = await this.database.acrossContexts('resellers belong to the installation', (db) =>
      this.rows.listPage(db, query.after ?? '', limit + 1, pattern),
    );
    const shown = rows.slice(0, limit);
    const items = selectFields(shown.map(toResellerView), query);
    return { items, ...(rows.length > limit ? { next: shown.at(-1)!.name } : {}) };
  }
}
