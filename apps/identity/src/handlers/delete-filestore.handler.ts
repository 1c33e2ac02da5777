import { fileKeepers, installation, InstallationErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { AfterChange } from '../provisioning/after-change';
import { InstallationAudit } from '../provisioning/installation-audit';

const AS_IDENTITY = { kind: 'internal', service: 'identity', contextId: 0 } as const;

/** Forgets a file store that no context uses. */
@Handles(installation.deleteFilestore)
export class DeleteFilestoreHandler implements Handler<typeof installation.deleteFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
    private readonly audit: InstallationAudit,
    private readonly caller: Caller,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query }: CallOf<typeof installation.deleteFilestore>) {
    const { filestoreId } = query;
    const known = await this.database.acrossContexts((db) => this.places.filestore(db, filestoreId));
    if (!known && query.missingOk) return reply(undefined, { status: 200 });
    if (!known) throw InstallationErrors.noFilestore(filestoreId);
    // Contexts that went, or moved away, may have left bytes which still have to be removed there.
    for (const keeper of fileKeepers())
      if (await this.caller.call(keeper.inStore, { principal: AS_IDENTITY, query: { storeId: filestoreId } }))
        throw InstallationErrors.filestoreInUse(filestoreId);
    await this.database.acrossContexts(async (db) => {
      const before = await this.places.filestore(db, filestoreId);
      if (!before) throw InstallationErrors.noFilestore(filestoreId);
      if (!(await this.places.removeFilestore(db, filestoreId))) throw InstallationErrors.filestoreInUse(filestoreId);
      await this.audit.add(db, principal, { action: 'delete', kind: 'filestore', objectId: filestoreId, before });
    });
    this.after.filestores();
    return reply(undefined, { status: 204 });
  }
}
