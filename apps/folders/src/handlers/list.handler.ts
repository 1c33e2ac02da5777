import { folders, FolderErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { folderRows } from '../tree/folder-wire';
import { Owners } from '../owners';
import { TreeLoader } from '../tree/tree-loader';

/** `list`: the folders below one. */
@Handles(folders.list)
export class ListHandler implements Handler<typeof folders.list> {
  constructor(
    private readonly trees: TreeLoader,
    private readonly owners: Owners,
  ) {}

  async handle(call: CallOf<typeof folders.list>) {
    const { parent, all, errorOnDuplicateName } = call.query;
    const fields = await this.trees.columns(call, call.query.columns);
    const view = await this.trees.load(call, call.query, true);
    // Its owner says why it is not there, or that it does not run.
    if (!view.tree.find(parent)) await this.owners.folder(call, parent);
    const below = view.tree
      .below(parent)
      .filter(view.isAllowed)
      .filter(({ subscribed }) => all || subscribed)
      .filter(({ id }) => call.query.tree !== '1' || parent !== '0' || id === '1');
    if (errorOnDuplicateName) requireDistinct(below);
    return reply(folderRows(below, fields, view), { timestamp: view.stamp });
  }
}

function requireDistinct(below: readonly { readonly title: string; readonly parent: string }[]): void {
  const seen = new Set<string>();
  for (const { title, parent } of below) {
    if (seen.has(title.toLowerCase())) throw FolderErrors.duplicateName(title, parent);
    seen.add(title.toLowerCase());
  }
}
