import { FOLDER_RIGHTS, waiveCheck, folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, sortInSlices, toJsonList } from '@groupware/service-kit';
import { parseContentType } from '../domain/content-types';
import { demandsOf, limitFolders, toFolderRows } from '../tree/folder-wire';
import { orderOfFolders } from '../tree/folder-tree';
import type { TreeFolder } from '../domain/tree-folder';
import { allOf } from '../tree/tree-parts';
import { TreeLoader } from '../tree/tree-loader';

/** `shares`: lists folders of a module that the user shares with others. */
@Handles(folders.shares)
export class SharesHandler implements Handler<typeof folders.shares> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.shares>) {
    const fields = await this.trees.resolveColumns(call, call.query.columns);
    const module = parseContentType(call.query.content_type);
    if (!module) {
      waiveCheck(FOLDER_RIGHTS.decidedByOwner, 'no module has such folders');
      return [];
    }
    const view = await this.trees.loadView(call, call.query, {
      part: allOf(module, { shared: true }),
      following: true,
      ...demandsOf(fields),
    });
    const { userId } = call.principal;
    const found = view.tree.storedFolders
      .filter((folder) => folder.module === module && folder.createdBy === userId && isShared(folder, userId))
      .filter(({ subscribed }) => call.query.all || subscribed);
    const { listed, warnings } = limitFolders(await sortInSlices(found, orderOfFolders(call.principal)), view);
    return reply<unknown[][]>(toJsonList(await toFolderRows(listed, fields, view)), {
      timestamp: view.stamp,
      warnings,
    });
  }
}

const isShared = ({ permissions }: TreeFolder, userId: number): boolean =>
  permissions.some(({ entity, group }) => group || entity !== userId);
