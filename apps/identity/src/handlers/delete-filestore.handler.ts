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
    private readonly capacity: CapacityRepository,
    private readonly audit: InstallationAudit,
    private readonly caller: Caller,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query }: CallOf<typeof installation.deleteFilestore>) {
    const { filestoreId, missingOk } = query;
    const isKnown = await this.database.acrossContexts(
      'file stores belong to the installation',
      async (db) => (await this.capacity.findFilestore(db, filestoreId)) !== undefined,
    );
    if (!isKnown) return replyMissing(filestoreId, missingOk);
    // Removed or moved contexts may have left files that are still to be deleted there.
    for (const keeper of fileKeepers())
      if (await this.caller.call(keeper.inStore, { principal: AS_IDENTITY, query: { storeId: filestoreId } }))
        throw InstallationErrors.filestoreInUse(filestoreId);
    const isDeleted = await this.database.acrossContexts('file stores belong to the installation', async (db) => {
      const before = await this.capacity.findFilestore(db, filestoreId);
      if (!before) return false;
      if (!(await this.capacity.deleteFilestore(db, filestoreId))) {
        // Either contexts use it, or another call deleted it between the two statements.
        if (!(await this.capacity.findFilestore(db, filestoreId))) return false;
        throw InstallationErrors.filestoreInUse(filestoreId);
      }
      await this.audit.record(db, principal, { action: 'delete', kind: 'filestore', objectId: filestoreId, before });
      return true;
    });
    if (!isDeleted) return replyMissing(filestoreId, missingOk);
    this.notifier.notifyFilestoresChanged();
    return reply(undefined, { status: 204 });
  }
}

/** Answers for a file store that is not there. @throws INST-0001 unless that is as good as deleted */
function replyMissing(filestoreId: number, missingOk: boolean | undefined) {
  if (missingOk) return reply(undefined, { status: 200 });
  throw InstallationErrors.noFilestore(filestoreId);
}
