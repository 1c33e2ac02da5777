import {
  CatalogueError,
  folders,
  FolderErrors,
  reply,
  type CallOf,
  type FolderDeletion,
  type Handler,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners';
import { TreeLoader } from '../tree/tree-loader';
import type { FolderTree } from '../tree/folder-tree';

/** `delete`: folders with everything in them; answers those that stay. */
@Handles(folders.delete)
export class DeleteHandler implements Handler<typeof folders.delete> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly trees: TreeLoader,
  ) {}

  async handle(call: CallOf<typeof folders.delete>) {
    const { failOnError, extendedResponse } = call.query;
    const { tree } = await this.trees.load(call, { ...call.query, allowed_modules: undefined });
    const stayed: string[] = [];
    const warnings: CatalogueError[] = [];
    let timestamp = 0;
    for (const id of call.body)
      try {
        timestamp = Math.max(timestamp, await this.remove(call, tree, id));
      } catch (error) {
        if (failOnError || !(error instanceof CatalogueError)) throw error;
        stayed.push(id);
        warnings.push(error);
      }
    const data = extendedResponse ? call.body.map((id) => deletion(id, stayed.includes(id))) : stayed;
    return reply<string[] | FolderDeletion[]>(data, { ...(timestamp > 0 && { timestamp }), warnings });
  }

  private async remove(call: CallOf<typeof folders.delete>, tree: FolderTree, id: string): Promise<number> {
    if (/^(1?\d|u:\d+)$/.test(id)) throw FolderErrors.notDeletable(id);
    const owner = this.owners.ofFolder(id);
    const outgoing = this.owners.outgoing(call);
    // What other modules keep below it goes first, the lowest folders before those above.
    for (const below of tree.descendants(id).reverse())
      if (below.module !== owner.module && tree.find(below.parent)?.module !== below.module) {
        const other = this.owners.ofFolder(below.id);
        await this.caller.call(other.contract.remove, { ...outgoing, query: { id: Number(below.id) } });
      }
    const { timestamp } = call.query;
    const written = await this.caller.call(owner.contract.remove, {
      ...outgoing,
      query: { id: Number(id), timestamp },
    });
    return written.lastModified;
  }
}

const deletion = (id: string, hasFailed: boolean): FolderDeletion => ({
  id,
  hasFailed,
  isSupported: true,
  trashed: false,
});
