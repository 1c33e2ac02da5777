import {
  FolderErrors,
  folders,
  parseFolderAddress,
  reply,
  type CallOf,
  type CatalogueError,
  type FolderDeletion,
  type Handler,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles, pauseAfterTurn } from '@groupware/service-kit';
import { type BatchResult, Owners } from '../owners/owners';
import type { FolderTree } from '../tree/folder-tree';
import { toTreeId } from '../domain/content-types';
import { isSystemId } from '../domain/system-folders';
import { strays } from '../tree/tree-parts';
import { TreeLoader } from '../tree/tree-loader';

type Call = CallOf<typeof folders.delete>;

/** `delete`: deletes folders with their content; answers those not deleted. */
@Handles(folders.delete)
export class DeleteHandler implements Handler<typeof folders.delete> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly trees: TreeLoader,
  ) {}

  async handle(call: Call) {
    const { failOnError, extendedResponse } = call.query;
    const ids = [...new Set(call.body)];
    const tree = await this.loadTree(call, ids);
    const refused = new Map<string, CatalogueError>();
    for (const id of ids) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      if (isSystemId(id)) refused.set(id, FolderErrors.notDeletable(id));
      else this.owners.findOwner(call, id, (error) => refused.set(id, error));
    }
    const note = (batch: BatchResult): void => batch.refused.forEach((error, id) => refused.set(id, error));
    const open = (): string[] => ids.filter((id) => !refused.has(id));
    // One that is not there belongs to none; its owner says so.
    const modules = new Set(open().flatMap((id) => parseFolderAddress(id)?.module ?? []));
    const elsewhere = open().some((id) => listForeignDescendants(tree, id).length > 0);
    // With several modules, nothing is deleted unless all agree.
    if (modules.size > 1 || elsewhere) {
      note(await this.removeFolders(call, open(), true));
      const below = await this.removeFolders(
        call,
        open().flatMap((id) => listForeignDescendants(tree, id)),
        true,
        false,
      );
      for (const id of open())
        if (listForeignDescendants(tree, id).some((child) => below.refused.has(child)))
          refused.set(id, FolderErrors.hiddenSubfolder(id));
    }
    if (elsewhere)
      await this.removeFolders(
        call,
        open().flatMap((id) => listForeignDescendants(tree, id)),
        false,
        false,
      );
    const done = await this.removeFolders(call, open(), false);
    note(done);
    const [first] = refused.values();
    if (failOnError && first) throw first;
    const data = extendedResponse
      ? ids.map((id) => toDeletion(tree, id, refused.has(id), done.trashed.has(id)))
      : ids.filter((id) => refused.has(id));
    return reply<string[] | FolderDeletion[]>(data, {
      ...(done.stamp > 0 && { timestamp: done.stamp }),
      warnings: [...refused.values()],
    });
  }

  /** Loads what tells of folders of other modules below, and of paths where the client wants them. */
  private async loadTree(call: Call, ids: readonly string[]): Promise<FolderTree> {
    const { tree, hasStrays } = await this.trees.loadPaths(
      call,
      call.query,
      call.query.extendedResponse ? ids.map(toTreeId) : [],
      { part: strays },
    );
    return hasStrays ? (await this.trees.loadView(call, call.query)).tree : tree;
  }

  private removeFolders(call: Call, ids: readonly string[], check: boolean, requested = true): Promise<BatchResult> {
    const { timestamp, hardDelete } = call.query;
    return this.owners.forEachOwner(call, ids, ({ contract }, own) =>
      this.caller.call(contract.remove, {
        ...this.owners.toCallOptions(call),
        query: {
          ids: own,
          hardDelete,
          check,
          ...(requested && { timestamp }),
        },
      }),
    );
  }
}

/** Lists descendants below a folder of another module, which their own module does not reach from the root. */
const listForeignDescendants = (tree: FolderTree, id: string): string[] =>
  tree
    .listDescendants(toTreeId(id))
    .filter((below) => below.id !== toTreeId(id) && tree.findFolder(below.parent)?.module !== below.module)
    .map((below) => below.id);

function toDeletion(tree: FolderTree, id: string, hasFailed: boolean, trashed: boolean): FolderDeletion {
  const path = tree
    .listPath(toTreeId(id))
    .reverse()
    .map(({ title }) => title)
    .join('/');
  return { id, ...(path && { path: `/${path}` }), hasFailed, isSupported: true, trashed };
}
