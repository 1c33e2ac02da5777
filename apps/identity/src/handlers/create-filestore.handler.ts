import { installation, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { filestoreAddress } from '../domain/filestore-uri';
import { AfterChange } from '../provisioning/after-change';
import { FilestoreVault } from '../provisioning/filestore-vault';
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
  ) {}

  async handle({ principal, body }: CallOf<typeof installation.createFilestore>) {
    const { uri, credentials } = filestoreAddress(body.uri);
    const { sizeMb = -1, maxContexts = -1 } = body;
    const store = await this.database.acrossContexts(async (db) => {
      const id = await this.places.addFilestore(db, { uri, sizeMb, maxContexts });
      if (credentials !== undefined)
        await this.places.setFilestoreCredentials(db, id, this.vault.seal(id, credentials));
      const added = { id, uri, sizeMb, maxContexts, contexts: 0 };
      await this.audit.add(db, principal, { action: 'create', kind: 'filestore', objectId: id, after: added });
      return added;
    });
    this.after.filestores();
    return reply({ ...store, usedMb: 0 }, { status: 201, headers: { Location: `/admin/v1/filestores/${store.id}` } });
  }
}
