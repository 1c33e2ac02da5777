import { installation, InstallationErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase, ShardRegistry } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Forgets a shard without contexts. */
@Handles(installation.deleteSchema)
export class DeleteSchemaHandler implements Handler<typeof installation.deleteSchema> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
    private readonly registry: ShardRegistry,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, query }: CallOf<typeof installation.deleteSchema>) {
    const { schema } = query;
    const removed = await this.database.acrossContexts(async (db) => {
      const before = await this.places.shard(db, schema);
      if (!before && query.missingOk) return false;
      if (!before) throw InstallationErrors.noSchema(schema);
      // Closed first: nobody counts a context in any more once this commits.
      if (!(await this.places.removeShard(db, schema))) throw InstallationErrors.schemaInUse(schema);
      await this.audit.add(db, principal, { action: 'delete', kind: 'schema', objectId: schema, before });
      return true;
    });
    if (removed) await this.registry.removeShard(schema);
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}
