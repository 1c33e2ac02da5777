import { installation, InstallationErrors, type CallOf, type Handler, type Schema } from '@groupware/contracts';
import { ADDRESS_REFERENCE, DEFAULT_SHARD, ModuleDatabase, ShardRegistry } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { CapacityRepository } from '../persistence/capacity.repository';
import { Idempotency, toReply } from '../provisioning/idempotency';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Contexts noted at once. */
const BATCH = 1_000;

/** Registers a shard. */
@Handles(installation.createSchema)
export class CreateSchemaHandler implements Handler<typeof installation.createSchema> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
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
    const remembered = await this.database.acrossContexts('shards belong to the installation', (db) =>
      this.idempotency.runOnceForInstallation(db, 'createSchema', call, async () => {
        if (!(await this.capacity.insertShard(db, row))) throw InstallationErrors.schemaExists(schema);
        await this.audit.record(db, principal, { action: 'create', kind: 'schema', objectId: schema, after: row });
        return { status: 201, location: `/admin/v1/schemas/${schema}`, result: { ...row, contexts: 0 } };
      }),
    );
    // Idempotent: a repeated call may have been interrupted before this point.
    await this.registry.addShard({ name: schema, url: ADDRESS_REFERENCE + dsnRef });
    // With one shard the shard of a context was never looked up; from now on a context without entry costs a query.
    for (let after = 0; ;) {
      const ids = await this.database.acrossContexts('each context of the default shard is noted there', (db) =>
        this.contexts.listIdsByShard(db, DEFAULT_SHARD, after, BATCH),
      );
      if (ids.length === 0) break;
      await this.registry.assignHome(ids);
      after = ids.at(-1)!;
    }
    return toReply<Schema>(remembered);
  }
}
