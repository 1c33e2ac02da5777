import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { checkUri } from '../domain/filestore-uri';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Changes a file store. */
@Handles(installation.changeFilestore)
export class ChangeFilestoreHandler implements Handler<typeof installation.changeFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof installation.changeFilestore>) {
    const { filestoreId } = query;
    if (body.uri !== undefined) checkUri(body.uri);
    const store = await this.database.acrossContexts(async (db) => {
      const before = await this.places.filestore(db, filestoreId);
      if (!before) throw InstallationErrors.noFilestore(filestoreId);
      // Its address is a setting of the processes.
      if (before.uri === '' && body.uri !== undefined) throw InstallationErrors.badUri(body.uri);
      await this.places.changeFilestore(db, filestoreId, body);
      const after = (await this.places.filestore(db, filestoreId))!;
      await this.audit.add(db, principal, {
        action: 'change',
        kind: 'filestore',
        objectId: filestoreId,
        before,
        after,
      });
      return after;
    });
    return store;
  }
}
