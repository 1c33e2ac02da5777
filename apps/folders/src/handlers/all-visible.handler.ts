import { folders, reply, type CallOf, type Handler, type VisibleFolders } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { contentType } from '../tree/allowed-modules';
import { folderRows } from '../tree/folder-wire';
import { FOLDER_TYPE } from '../tree/tree-folder';
import { TreeLoader } from '../tree/tree-loader';

/** `allVisible`: all folders of a module, by kind. */
@Handles(folders.allVisible)
export class AllVisibleHandler implements Handler<typeof folders.allVisible> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.allVisible>) {
    const fields = await this.trees.columns(call, call.query.columns);
    const module = contentType(call.query.content_type);
    if (!module) return {};
    const view = await this.trees.load(call, call.query, true);
    const found = view.tree.own.filter((folder) => folder.module === module && (call.query.all || folder.subscribed));
    // Default folders first, as in lists.
    found.sort(
      (left, right) => Number(right.isDefault) - Number(left.isDefault) || left.title.localeCompare(right.title),
    );
    const kinds: Record<string, unknown[][]> = {};
    for (const kind of ['private', 'public', 'shared'] as const) {
      const rows = folderRows(
        found.filter(({ type }) => type === FOLDER_TYPE[kind]),
        fields,
        view,
      );
      if (rows.length > 0) kinds[kind] = rows;
    }
    return reply<VisibleFolders>(kinds, { timestamp: view.stamp });
  }
}
