import {
  FOLDER_RIGHTS,
  waiveCheck,
  folders,
  reply,
  type CallOf,
  type Handler,
  type VisibleFolders,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseContentType } from '../domain/content-types';
import { countsObjects, toFolderRows } from '../tree/folder-wire';
import { FOLDER_TYPE } from '../domain/tree-folder';
import { compareTitles } from '../tree/folder-tree';
import { TreeLoader } from '../tree/tree-loader';

/** `allVisible`: lists all folders of a module, by kind. */
@Handles(folders.allVisible)
export class AllVisibleHandler implements Handler<typeof folders.allVisible> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.allVisible>) {
    const fields = await this.trees.resolveColumns(call, call.query.columns);
    const module = parseContentType(call.query.content_type);
    if (!module) {
      waiveCheck(FOLDER_RIGHTS.decidedByOwner, 'no module has such folders');
      return {};
    }
    const view = await this.trees.loadView(call, call.query, true, countsObjects(fields));
    const found = view.tree.storedFolders.filter(
      (folder) => folder.module === module && (call.query.all || folder.subscribed),
    );
    // Default folders first, as in lists.
    found.sort((left, right) => Number(right.isDefault) - Number(left.isDefault) || compareTitles(left, right));
    const kinds: Record<string, unknown[][]> = {};
    for (const kind of ['private', 'public', 'shared'] as const) {
      const rows = await toFolderRows(
        found.filter(({ type }) => type === FOLDER_TYPE[kind]),
        fields,
        view,
      );
      if (rows.length > 0) kinds[kind] = rows;
    }
    return reply<VisibleFolders>(kinds, { timestamp: view.stamp });
  }
}
