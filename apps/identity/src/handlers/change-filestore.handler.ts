import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { filestoreAddress } from '../domain/filestore-uri';
import { AfterChange } from '../provisioning/after-change';
import { FilestoreVault } from '../provisioning/filestore-vault';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Changes a file store. */
@Handles(installation.changeFilestore)
export class ChangeFilestoreHandler implements Handler<typeof installation.changeFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
    private readonly audit: InstallationAudit,
    private readonly vault: FilestoreVault,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof installation.changeFilestore>) {
    const { filestoreId } = query;
    // null would take away what every store has: no address, either.
    const address = body.uri === undefined ? undefined : filestoreAddress(body.uri ?? '');
    const store = await this.database.acrossContexts(async (db) => {
      const before = await this.places.filestore(db, filestoreId);
      if (!before) throw InstallationErrors.noFilestore(filestoreId);
      // Its address is a setting of the processes.
      if (before.uri === '' && address) throw InstallationErrors.badUri(address.uri);
      await this.places.changeFilestore(db, filestoreId, { ...body, ...(address ? { uri: address.uri } : {}) });
      if (address?.credentials !== undefined)
        await this.places.setFilestoreCredentials(db, filestoreId, this.vault.seal(filestoreId, address.credentials));
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
    this.after.filestores();
    return store;
  }
}
