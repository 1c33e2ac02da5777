import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toTreeId } from '../domain/content-types';
import { demandsOf, toFolderRows } from '../tree/folder-wire';
import { TreeLoader } from '../tree/tree-loader';

/** `path`: lists a folder and its ancestors up to the root. */
@Handles(folders.path)
export class PathHandler implements Handler<typeof folders.path> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.path>) {
    const fields = await this.trees.resolveColumns(call, call.query.columns);
    const id = toTreeId(call.query.id);
    const view = await this.trees.loadViewOf(call, id, () =>
      this.trees.loadPaths(call, call.query, [id], demandsOf(fields)),
    );
    const path = view.tree.listPath(id);
    return reply(await toFolderRows(path, fields, view), { timestamp: view.stamp });
  }
}
