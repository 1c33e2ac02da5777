import { FolderErrors, folders, reply, type CallOf, type CatalogueError, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners/owners';
import { isSystemId } from '../domain/system-folders';
import { parseTreeId } from '../tree/folder-tree';

/** `clear`: deletes the content of folders; answers the folders not cleared. */
@Handles(folders.clear)
export class ClearHandler implements Handler<typeof folders.clear> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.clear>) {
    parseTreeId(call.query.tree);
    const { refused, stamp } = await this.owners.forEachOwner(
      call,
      call.body.filter((id) => !isSystemId(id)),
      ({ contract }, ids) => this.caller.call(contract.clear, { ...this.owners.toCallOptions(call), query: { ids } }),
    );
    const reasons = new Map<string, CatalogueError>(refused);
    const named = new Set(call.body);
    for (const id of named) if (isSystemId(id)) reasons.set(id, FolderErrors.objectsNotDeletable(id));
    return reply(
      [...named].filter((id) => reasons.has(id)),
      { ...(stamp > 0 && { timestamp: stamp }), warnings: [...reasons.values()] },
    );
  }
}
