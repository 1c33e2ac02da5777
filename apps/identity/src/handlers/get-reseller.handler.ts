import { type CallOf, type Handler, ResellerErrors, resellers } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ResellerRepository } from '../configuration/reseller.repository';
import { toResellerView } from '../provisioning/reseller-editor';
import { toVersionedReply } from '../provisioning/version';

/** Reads a reseller. */
@Handles(resellers.getReseller)
export class GetResellerHandler implements Handler<typeof resellers.getReseller> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ResellerRepository,
  ) {}

  async handle({ query }: CallOf<typeof resellers.getReseller>) {
    const all = await this.database.acrossContexts('resellers belong to the installation', (db) =>
      this.rows.listAll(db),
    );
    const row = all.find(({ name }) => name === query.reseller);
    if (!row) throw ResellerErrors.notFound(query.reseller);
    return toVersionedReply(toResellerView(row));
  }
}
