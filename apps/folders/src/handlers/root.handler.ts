import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { folderRows } from '../tree/folder-wire';
import { TreeLoader } from '../tree/tree-loader';

/** `root`: the folders at the top. */
@Handles(folders.root)
export class RootHandler implements Handler<typeof folders.root> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.root>) {
    const fields = await this.trees.columns(call, call.query.columns);
    const view = await this.trees.load(call, call.query, true);
    // The flat tree has the private folders only; all others stand below them.
    const top = view.tree.below('0').filter(({ id }) => call.query.tree !== '1' || id === '1');
    return reply(folderRows(top, fields, view), { timestamp: view.stamp });
  }
}
