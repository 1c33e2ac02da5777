import { installation, InstallationErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ADDRESS_REFERENCE, DEFAULT_SHARD, ModuleDatabase, ShardRegistry } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { PlaceRepository } from '../persistence/place.repository';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Contexts noted at once. */
const BATCH = 1_000;

/** Registers a shard. */
@Handles(installation.createSchema)
export class CreateSchemaHandler implements Handler<typeof installation.createSchema> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
    private readonly contexts: ContextRepository,
    private readonly registry: ShardRegistry,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, body }: CallOf<typeof installation.createSchema>) {
    const { schema, dsnRef, maxContexts = -1, state = 'open' } = body;
    if (!this.registry.knowsAddress(dsnRef)) throw InstallationErrors.noAddress(dsnRef);
    const row = { schema, dsnRef, maxContexts, state };
    await this.database.acrossContexts(async (db) => {
      if (!(await this.places.addShard(db, row))) throw InstallationErrors.schemaExists(schema);
      await this.audit.add(db, principal, { action: 'create', kind: 'schema', objectId: schema, after: row });
    });
    await this.registry.addShard({ name: schema, url: ADDRESS_REFERENCE + dsnRef });
    // With one shard nobody asked where a context lives; from now on each question about one without a note costs a query.
    for (let after = 0; ;) {
      const ids = await this.database.acrossContexts((db) => this.contexts.idsOn(db, DEFAULT_SHARD, after, BATCH));
      if (ids.length === 0) break;
      await this.registry.assignHome(ids);
      after = ids.at(-1)!;
    }
    return reply({ ...row, contexts: 0 }, { status: 201, headers: { Location: `/admin/v1/schemas/${schema}` } });
  }
}
