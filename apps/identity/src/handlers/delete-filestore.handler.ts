import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Forgets a file store that no context uses. */
@Handles(installation.deleteFilestore)
export class DeleteFilestoreHandler implements Handler<typeof installation.deleteFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, query }: CallOf<typeof installation.deleteFilestore>) {
    const { filestoreId } = query;
    await this.database.acrossContexts(async (db) => {
      const before = await this.places.filestore(db, filestoreId);
      if (!before) throw InstallationErrors.noFilestore(filestoreId);
      if (!(await this.places.removeFilestore(db, filestoreId))) throw InstallationErrors.filestoreInUse(filestoreId);
      await this.audit.add(db, principal, { action: 'delete', kind: 'filestore', objectId: filestoreId, before });
    });
    return undefined;
  }
}
