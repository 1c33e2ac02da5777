import { installation, InstallationErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase, ShardRegistry } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Deletes a shard without contexts. */
@Handles(installation.deleteSchema)
export class DeleteSchemaHandler implements Handler<typeof installation.deleteSchema> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
    private readonly registry: ShardRegistry,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, query }: CallOf<typeof installation.deleteSchema>) {
    const { schema } = query;
    const removed = await this.database.acrossContexts('shards belong to the installation', async (db) => {
      const before = await this.capacity.findShard(db, schema);
      if (!before && query.missingOk) return false;
      if (!before) throw InstallationErrors.noSchema(schema);
      // Closed first: after this commit no context can be added.
      if (!(await this.capacity.deleteShard(db, schema))) throw InstallationErrors.schemaInUse(schema);
      await this.audit.record(db, principal, { action: 'delete', kind: 'schema', objectId: schema, before });
      return true;
    });
    if (removed) await this.registry.removeShard(schema);
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}
