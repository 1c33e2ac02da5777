import { installation, type CallOf, type Filestore, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CapacityRepository } from '../persistence/capacity.repository';
import { parseFilestoreAddress } from '../domain/filestore-uri';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { FilestoreVault } from '../provisioning/filestore-vault';
import { Idempotency, toReply } from '../provisioning/idempotency';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Registers a file store. */
@Handles(installation.createFilestore)
export class CreateFilestoreHandler implements Handler<typeof installation.createFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly capacity: CapacityRepository,
    private readonly audit: InstallationAudit,
    private readonly vault: FilestoreVault,
    private readonly notifier: ChangeNotifier,
    private readonly idempotency: Idempotency,
  ) {}

  async handle(call: CallOf<typeof installation.createFilestore>) {
    const { principal, body } = call;
    const { uri, credentials } = parseFilestoreAddress(body.uri);
    const { sizeMb = -1, maxContexts = -1 } = body;
    // Its credentials are not part of the fingerprint.
    const repeatable = { ...call, body: { ...body, uri } };
    const remembered = await this.database.acrossContexts('file stores belong to the installation', (db) =>
      this.idempotency.runOnceForInstallation(db, 'createFilestore', repeatable, async () => {
        const id = await this.capacity.insertFilestore(db, { uri, sizeMb, maxContexts });
        if (credentials !== undefined)
          await this.capacity.updateFilestoreCredentials(db, id, this.vault.sealCredentials(id, credentials));
        const added = { id, uri, sizeMb, maxContexts, contexts: 0 };
        await this.audit.record(db, principal, { action: 'create', kind: 'filestore', objectId: id, after: added });
        return { status: 201, location: `/admin/v1/filestores/${id}`, result: { ...added, usedMb: 0 } };
      }),
    );
    this.notifier.notifyFilestoresChanged();
    return toReply<Filestore>(remembered);
  }
}
