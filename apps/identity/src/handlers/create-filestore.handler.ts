import { installation, type CallOf, type Filestore, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { filestoreAddress } from '../domain/filestore-uri';
import { AfterChange } from '../provisioning/after-change';
import { FilestoreVault } from '../provisioning/filestore-vault';
import { Idempotency, replyOf } from '../provisioning/idempotency';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Registers a file store. */
@Handles(installation.createFilestore)
export class CreateFilestoreHandler implements Handler<typeof installation.createFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
    private readonly audit: InstallationAudit,
    private readonly vault: FilestoreVault,
    private readonly after: AfterChange,
    private readonly idempotency: Idempotency,
  ) {}

  async handle(call: CallOf<typeof installation.createFilestore>) {
    const { principal, body } = call;
    const { uri, credentials } = filestoreAddress(body.uri);
    const { sizeMb = -1, maxContexts = -1 } = body;
    // Its credentials are no part of what a repetition is known by.
    const repeatable = { ...call, body: { ...body, uri } };
    const remembered = await this.database.acrossContexts((db) =>
      this.idempotency.onceForInstallation(db, 'createFilestore', repeatable, async () => {
        const id = await this.places.addFilestore(db, { uri, sizeMb, maxContexts });
        if (credentials !== undefined)
          await this.places.setFilestoreCredentials(db, id, this.vault.seal(id, credentials));
        const added = { id, uri, sizeMb, maxContexts, contexts: 0 };
        await this.audit.add(db, principal, { action: 'create', kind: 'filestore', objectId: id, after: added });
        return { status: 201, location: `/admin/v1/filestores/${id}`, result: { ...added, usedMb: 0 } };
      }),
    );
    this.after.filestores();
    return replyOf<Filestore>(remembered);
  }
}
