import { installation, InstallationErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';
import { parseFilestoreAddress } from '../domain/filestore-uri';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { FilestoreVault } from '../provisioning/filestore-vault';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Changes a file store. */
@Handles(installation.changeFilestore)
export class ChangeFilestoreHandler implements Handler<typeof installation.changeFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
    private readonly audit: InstallationAudit,
    private readonly vault: FilestoreVault,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof installation.changeFilestore>) {
    const { filestoreId } = query;
    // Required fields, the address included, cannot be removed.
    const address = body.uri === undefined ? undefined : parseFilestoreAddress(body.uri ?? '');
    const store = await this.database.acrossContexts('file stores belong to the installation', async (db) => {
      const before = await this.capacity.findFilestore(db, filestoreId);
      if (!before) throw InstallationErrors.noFilestore(filestoreId);
      // Its address is a setting of the processes.
      if (before.uri === '' && address) throw InstallationErrors.badUri(address.uri);
      await this.capacity.updateFilestore(db, filestoreId, { ...body, ...(address ? { uri: address.uri } : {}) });
      if (address?.credentials !== undefined)
        await this.capacity.updateFilestoreCredentials(
          db,
          filestoreId,
          this.vault.sealCredentials(filestoreId, address.credentials),
        );
      const after = (await this.capacity.findFilestore(db, filestoreId))!;
      await this.audit.record(db, principal, {
        action: 'change',
        kind: 'filestore',
        objectId: filestoreId,
        before,
        after,
      });
      return after;
    });
    this.notifier.notifyFilestoresChanged();
    return store;
  }
}
