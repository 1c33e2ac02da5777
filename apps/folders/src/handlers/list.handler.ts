import { folders, FolderErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, toJsonList } from '@groupware/service-kit';
import { toTreeId } from '../domain/content-types';
import { demandsOf, limitFolders, toFolderRows, warnOfMissing } from '../tree/folder-wire';
import { below } from '../tree/tree-parts';
import { TreeLoader } from '../tree/tree-loader';

/** `list`: lists the folders below one. */
@Handles(folders.list)
export class ListHandler implements Handler<typeof folders.list> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.list>) {
    const { all, errorOnDuplicateName } = call.query;
    const parent = toTreeId(call.query.parent);
    const fields = await this.trees.resolveColumns(call, call.query.columns);
    const options = { part: below(parent), following: true, ...demandsOf(fields) };
    const view = await this.trees.loadViewOf(call, parent, () => this.trees.loadView(call, call.query, options));
    const children = view.tree
      .listChildren(parent)
      .filter(view.isAllowed)
      .filter(({ subscribed }) => all || subscribed)
      .filter(({ id }) => call.query.tree !== '1' || parent !== '0' || id === '1');
    if (errorOnDuplicateName) requireDistinct(children);
    const { listed, warnings } = limitFolders(children, view);
    return reply<unknown[][]>(toJsonList(await toFolderRows(listed, fields, view)), {
      timestamp: view.stamp,
      warnings: [...warnOfMissing(view, parent), ...warnings],
    });
  }
}

function requireDistinct(below: readonly { readonly title: string; readonly parent: string }[]): void {
  const seen = new Set<string>();
  for (const { title, parent } of below) {
    if (seen.has(title.toLowerCase())) throw FolderErrors.duplicateName(title, parent);
    seen.add(title.toLowerCase());
  }
}
