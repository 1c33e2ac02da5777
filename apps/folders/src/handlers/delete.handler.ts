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
import type { FolderView } from '../tree/folder-wire';
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
    const { tree, stamp } = await this.loadTree(call, ids);
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
      ? await this.describeDeletions(call, ids, tree, { refused, trashed: done.trashed })
      : ids.filter((id) => refused.has(id));
    return reply<string[] | FolderDeletion[]>(data, {
      timestamp: Math.max(done.stamp, stamp),
      warnings: [...refused.values()],
    });
  }

  /** Loads what tells of folders of other modules below, and of paths where the client wants them. */
  private async loadTree(call: Call, ids: readonly string[]): Promise<Pick<FolderView, 'tree' | 'stamp'>> {
    const view = await this.trees.loadPaths(call, call.query, call.query.extendedResponse ? ids.map(toTreeId) : [], {
      part: strays,
    });
    return view.hasStrays ? this.trees.loadView(call, call.query) : view;
  }

  /** Describes what happened to folders; where those are that went into the trash is read after they did. */
  private async describeDeletions(
    call: Call,
    ids: readonly string[],
    before: FolderTree,
    { refused, trashed }: Pick<BatchResult, 'refused' | 'trashed'>,
  ): Promise<FolderDeletion[]> {
    const after =
      trashed.size > 0 ? (await this.trees.loadPaths(call, call.query, [...trashed.values()])).tree : undefined;
    return ids.map((id) => {
      const path = toPath(before, toTreeId(id));
      const newId = trashed.get(id);
      const newPath = newId !== undefined && after ? toPath(after, newId) : undefined;
      return {
        id,
        ...(path && { path }),
        ...(newPath && { new_path: newPath }),
        hasFailed: refused.has(id),
        isSupported: true,
        trashed: newId !== undefined,
        isTrashed: newId !== undefined,
      };
    });
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

/** Names of the folders from the top to one, each behind a slash; empty for one that the tree does not have. */
const toPath = (tree: FolderTree, id: string): string =>
  tree
    .listPath(id)
    .reverse()
    .map(({ title }) => `/${title}`)
    .join('');
