import {
  FolderErrors,
  folders,
  reply,
  type CallOf,
  type CatalogueError,
  type Handler,
  type RestoredFolders,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners';
import { treeId } from '../tree/folder-tree';
import { isSystemId } from '../tree/system-folders';
import { TreeLoader } from '../tree/tree-loader';

/** `restore`: moves folders out of the trash of their module; answers where they are now. */
@Handles(folders.restore)
export class RestoreHandler implements Handler<typeof folders.restore> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly trees: TreeLoader,
  ) {}

  async handle(call: CallOf<typeof folders.restore>) {
    treeId(call.query.tree);
    const batch = await this.owners.forEach(
      call,
      call.body.filter((id) => !isSystemId(id)),
      ({ contract }, ids) => this.caller.call(contract.restore, { ...this.owners.outgoing(call), query: { ids } }),
    );
    const refused = new Map<string, CatalogueError>(batch.refused);
    for (const id of call.body) if (isSystemId(id)) refused.set(id, FolderErrors.notInTrash(id));
    const restored = [...new Set(call.body)].filter((id) => !refused.has(id));
    const [first] = refused.values();
    if (first && restored.length === 0) throw first;
    const { tree } = await this.trees.load(call, call.query);
    const places = restored.map((id) => [id, tree.path(id).map(({ id: step, title }) => ({ id: step, title }))]);
    return reply<RestoredFolders>(Object.fromEntries(places), {
      ...(batch.stamp > 0 && { timestamp: batch.stamp }),
      warnings: [...refused.values()],
    });
  }
}
