import { FolderErrors, folders, reply, type CallOf, type CatalogueError, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners';
import { isSystemId } from '../tree/system-folders';
import { treeId } from '../tree/folder-tree';

/** `clear`: deletes what is in folders; answers those that were left alone. */
@Handles(folders.clear)
export class ClearHandler implements Handler<typeof folders.clear> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.clear>) {
    treeId(call.query.tree);
    const { refused, stamp } = await this.owners.forEach(
      call,
      call.body.filter((id) => !isSystemId(id)),
      ({ contract }, ids) => this.caller.call(contract.clear, { ...this.owners.outgoing(call), query: { ids } }),
    );
    const reasons = new Map<string, CatalogueError>(refused);
    for (const id of call.body) if (isSystemId(id)) reasons.set(id, FolderErrors.objectsNotDeletable(id));
    return reply(
      [...new Set(call.body)].filter((id) => reasons.has(id)),
      { ...(stamp > 0 && { timestamp: stamp }), warnings: [...reasons.values()] },
    );
  }
}
