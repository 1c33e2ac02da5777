import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Changes a shard. */
@Handles(installation.changeSchema)
export class ChangeSchemaHandler implements Handler<typeof installation.changeSchema> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof installation.changeSchema>) {
    const { schema } = query;
    return this.database.acrossContexts('shards belong to the installation', async (db) => {
      const before = await this.capacity.findShard(db, schema);
      if (!before) throw InstallationErrors.noSchema(schema);
      await this.capacity.updateShard(db, schema, body);
      const after = (await this.capacity.findShard(db, schema))!;
      await this.audit.record(db, principal, { action: 'change', kind: 'schema', objectId: schema, before, after });
      return after;
    });
  }
}
