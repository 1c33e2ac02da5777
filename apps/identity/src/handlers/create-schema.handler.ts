import { installation, InstallationErrors, type CallOf, type Handler, type Schema } from '@groupware/contracts';
import { ADDRESS_REFERENCE, DEFAULT_SHARD, ModuleDatabase, ShardRegistry } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { PlaceRepository } from '../persistence/place.repository';
import { Idempotency, replyOf } from '../provisioning/idempotency';
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
    private readonly idempotency: Idempotency,
  ) {}

  async handle(call: CallOf<typeof installation.createSchema>) {
    const { principal, body } = call;
    const { schema, dsnRef, maxContexts = -1, state = 'open' } = body;
    if (!this.registry.knowsAddress(dsnRef)) throw InstallationErrors.noAddress(dsnRef);
    const row = { schema, dsnRef, maxContexts, state };
    const remembered = await this.database.acrossContexts((db) =>
      this.idempotency.onceForInstallation(db, 'createSchema', call, async () => {
        if (!(await this.places.addShard(db, row))) throw InstallationErrors.schemaExists(schema);
        await this.audit.add(db, principal, { action: 'create', kind: 'schema', objectId: schema, after: row });
        return { status: 201, location: `/admin/v1/schemas/${schema}`, result: { ...row, contexts: 0 } };
      }),
    );
    // What follows does no harm twice, and a call that is repeated may have been cut off before it.
    await this.registry.addShard({ name: schema, url: ADDRESS_REFERENCE + dsnRef });
    // With one shard nobody asked where a context lives; from now on each question about one without a note costs a query.
    for (let after = 0; ;) {
      const ids = await this.database.acrossContexts((db) => this.contexts.idsOn(db, DEFAULT_SHARD, after, BATCH));
      if (ids.length === 0) break;
      await this.registry.assignHome(ids);
      after = ids.at(-1)!;
    }
    return replyOf<Schema>(remembered);
  }
}
