import { fileKeepers, installation, InstallationErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { InstallationAudit } from '../provisioning/installation-audit';

const AS_IDENTITY = { kind: 'internal', service: 'identity', contextId: 0 } as const;

/** Deletes a file store without contexts. */
@Handles(installation.deleteFilestore)
export class DeleteFilestoreHandler implements Handler<typeof installation.deleteFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: CapacityRepository,
    private readonly audit: InstallationAudit,
    private readonly caller: Caller,
    private readonly after: ChangeNotifier,
  ) {}

  async handle({ principal, query }: CallOf<typeof installation.deleteFilestore>) {
    const { filestoreId } = query;
    const known = await this.database.acrossContexts('file stores belong to the installation', (db) =>
      this.places.findFilestore(db, filestoreId),
    );
    if (!known && query.missingOk) return reply(undefined, { status: 200 });
    if (!known) throw InstallationErrors.noFilestore(filestoreId);
    // Removed or moved contexts may have left files that are still to be deleted there.
    for (const keeper of fileKeepers())
      if (await this.caller.call(keeper.inStore, { principal: AS_IDENTITY, query: { storeId: filestoreId } }))
        throw InstallationErrors.filestoreInUse(filestoreId);
    await this.database.acrossContexts('file stores belong to the installation', async (db) => {
      const before = await this.places.findFilestore(db, filestoreId);
      if (!before) throw InstallationErrors.noFilestore(filestoreId);
      if (!(await this.places.deleteFilestore(db, filestoreId))) throw InstallationErrors.filestoreInUse(filestoreId);
      await this.audit.record(db, principal, { action: 'delete', kind: 'filestore', objectId: filestoreId, before });
    });
    this.after.notifyFilestoresChanged();
    return reply(undefined, { status: 204 });
  }
}
