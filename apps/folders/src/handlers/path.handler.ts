import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners/owners';
import { toFolderRows } from '../tree/folder-wire';
import { TreeLoader } from '../tree/tree-loader';

/** `path`: lists a folder and its ancestors up to the root. */
@Handles(folders.path)
export class PathHandler implements Handler<typeof folders.path> {
  constructor(
    private readonly trees: TreeLoader,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.path>) {
    const fields = await this.trees.resolveColumns(call, call.query.columns);
    const view = await this.trees.loadView(call, call.query);
    if (!view.tree.findFolder(call.query.id)) await this.owners.getFolder(call, call.query.id);
    const path = view.tree.listPath(call.query.id);
    return reply(await toFolderRows(path, fields, view), { timestamp: view.stamp });
  }
}
