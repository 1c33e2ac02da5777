import {
  FolderErrors,
  folders,
  reply,
  type CallOf,
  type CatalogueError,
  type FolderDeletion,
  type Handler,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { type Batch, Owners } from '../owners';
import type { FolderTree } from '../tree/folder-tree';
import { isSystemId } from '../tree/system-folders';
import { TreeLoader } from '../tree/tree-loader';

type Call = CallOf<typeof folders.delete>;

/** `delete`: folders with everything in them; answers those that stay. */
@Handles(folders.delete)
export class DeleteHandler implements Handler<typeof folders.delete> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly trees: TreeLoader,
  ) {}

  async handle(call: Call) {
    const { failOnError, extendedResponse } = call.query;
    const { tree } = await this.trees.load(call, call.query);
    const ids = [...new Set(call.body)];
    const refused = new Map<string, CatalogueError>();
    for (const id of ids)
      if (isSystemId(id)) refused.set(id, FolderErrors.notDeletable(id));
      else this.owners.findOwner(call, id, (error) => refused.set(id, error));
    const note = (batch: Batch): void => batch.refused.forEach((error, id) => refused.set(id, error));
    const open = (): string[] => ids.filter((id) => !refused.has(id));
    const modules = new Set(open().map((id) => tree.find(id)?.module));
    const elsewhere = open().some((id) => otherModules(tree, id).length > 0);
    // Several modules: nothing goes anywhere unless all agree.
    if (modules.size > 1 || elsewhere) {
      note(await this.remove(call, open(), true));
      const below = await this.remove(
        call,
        open().flatMap((id) => otherModules(tree, id)),
        true,
        false,
      );
      for (const id of open())
        if (otherModules(tree, id).some((child) => below.refused.has(child)))
          refused.set(id, FolderErrors.hiddenSubfolder(id));
    }
    const [first] = refused.values();
    if (failOnError && first) throw first;
    if (elsewhere)
      await this.remove(
        call,
        open().flatMap((id) => otherModules(tree, id)),
        false,
        false,
      );
    const done = await this.remove(call, open(), false);
    note(done);
    const data = extendedResponse
      ? ids.map((id) => deletion(tree, id, refused.has(id), done.trashed.has(id)))
      : ids.filter((id) => refused.has(id));
    return reply<string[] | FolderDeletion[]>(data, {
      ...(done.stamp > 0 && { timestamp: done.stamp }),
      warnings: [...refused.values()],
    });
  }

  private remove(call: Call, ids: readonly string[], check: boolean, requested = true): Promise<Batch> {
    const { timestamp, hardDelete, failOnError } = call.query;
    return this.owners.forEach(call, ids, ({ contract }, own) =>
      this.caller.call(contract.remove, {
        ...this.owners.outgoing(call),
        query: {
          ids: own,
          hardDelete,
          check,
          ...(requested && { timestamp, strict: failOnError }),
        },
      }),
    );
  }
}

/** Folders below one that stand below a folder of another module: those their own module does not find from the first. */
const otherModules = (tree: FolderTree, id: string): string[] =>
  tree
    .descendants(id)
    .filter((below) => below.id !== id && tree.find(below.parent)?.module !== below.module)
    .map((below) => below.id);

function deletion(tree: FolderTree, id: string, hasFailed: boolean, trashed: boolean): FolderDeletion {
  const path = tree
    .path(id)
    .reverse()
    .map(({ title }) => title)
    .join('/');
  return { id, ...(path && { path: `/${path}` }), hasFailed, isSupported: true, trashed };
}
