import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { demandsOf, toFolderRows, warnOfMissing } from '../tree/folder-wire';
import { below } from '../tree/tree-parts';
import { TreeLoader } from '../tree/tree-loader';

/** `root`: lists the root folders. */
@Handles(folders.root)
export class RootHandler implements Handler<typeof folders.root> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.root>) {
    const fields = await this.trees.resolveColumns(call, call.query.columns);
    const view = await this.trees.loadView(call, call.query, {
      part: below('0'),
      following: true,
      ...demandsOf(fields),
    });
    // The flat tree has the private folders only; all others stand below them.
    const top = view.tree.listChildren('0').filter(({ id }) => call.query.tree !== '1' || id === '1');
    return reply(await toFolderRows(top, fields, view), { timestamp: view.stamp, warnings: warnOfMissing(view) });
  }
}
