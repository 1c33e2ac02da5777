import {
  FolderErrors,
  folders,
  reply,
  type CallOf,
  type CatalogueError,
  type Handler,
  type RestoredFolder,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners/owners';
import { parseTreeId } from '../tree/folder-tree';
import { IdForm, toTreeId } from '../domain/content-types';
import { isSystemId } from '../domain/system-folders';
import { TreeLoader } from '../tree/tree-loader';

/** `restore`: moves folders out of the trash; answers their new location. */
@Handles(folders.restore)
export class RestoreHandler implements Handler<typeof folders.restore> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly trees: TreeLoader,
  ) {}

  async handle(call: CallOf<typeof folders.restore>) {
    parseTreeId(call.query.tree);
    const batch = await this.owners.forEachOwner(
      call,
      call.body.filter((id) => !isSystemId(id)),
      ({ contract }, ids) => this.caller.call(contract.restore, { ...this.owners.toCallOptions(call), query: { ids } }),
    );
    const refused = new Map<string, CatalogueError>(batch.refused);
    const named = new Set(call.body);
    for (const id of named) if (isSystemId(id)) refused.set(id, FolderErrors.notInTrash(id));
    const restored = [...named].filter((id) => !refused.has(id));
    const [first] = refused.values();
    if (first && restored.length === 0) throw first;
    const { tree } = await this.trees.loadPaths(call, call.query, restored.map(toTreeId));
    const places = restored.map((id) => {
      const form = IdForm.fromParameters({ id });
      const path = tree.listPath(toTreeId(id));
      return { id, folder: id, path: path.map(({ id: step, title }) => ({ id: form.toWireId(step), title })) };
    });
    return reply<RestoredFolder[]>(places, {
      ...(batch.stamp > 0 && { timestamp: batch.stamp }),
      warnings: [...refused.values()],
    });
  }
}
