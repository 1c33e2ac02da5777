import { installation, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PlaceRepository } from '../persistence/place.repository';
import { checkUri } from '../domain/filestore-uri';
import { InstallationAudit } from '../provisioning/installation-audit';

/** Registers a file store. */
@Handles(installation.createFilestore)
export class CreateFilestoreHandler implements Handler<typeof installation.createFilestore> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly places: PlaceRepository,
    private readonly audit: InstallationAudit,
  ) {}

  async handle({ principal, body }: CallOf<typeof installation.createFilestore>) {
    checkUri(body.uri);
    const { uri, sizeMb = -1, maxContexts = -1 } = body;
    const store = await this.database.acrossContexts(async (db) => {
      const id = await this.places.addFilestore(db, { uri, sizeMb, maxContexts });
      const added = { id, uri, sizeMb, maxContexts, contexts: 0 };
      await this.audit.add(db, principal, { action: 'create', kind: 'filestore', objectId: id, after: added });
      return added;
    });
    return reply({ ...store, usedMb: 0 }, { status: 201, headers: { Location: `/admin/v1/filestores/${store.id}` } });
  }
}
