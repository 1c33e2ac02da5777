import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners';
import { folderRows } from '../tree/folder-wire';
import { TreeLoader } from '../tree/tree-loader';

/** `path`: a folder and those above it, up to the top. */
@Handles(folders.path)
export class PathHandler implements Handler<typeof folders.path> {
  constructor(
    private readonly trees: TreeLoader,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.path>) {
    const fields = await this.trees.columns(call, call.query.columns);
    const view = await this.trees.load(call, call.query);
    if (!view.tree.find(call.query.id)) await this.owners.folder(call, call.query.id);
    const path = view.tree.path(call.query.id);
    return reply(folderRows(path, fields, view), { timestamp: view.stamp });
  }
}
