import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { contentType } from '../tree/allowed-modules';
import { folderRows } from '../tree/folder-wire';
import type { TreeFolder } from '../tree/tree-folder';
import { TreeLoader } from '../tree/tree-loader';

/** `shares`: folders of a module that the user owns and others have rights on. */
@Handles(folders.shares)
export class SharesHandler implements Handler<typeof folders.shares> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.shares>) {
    const fields = await this.trees.columns(call, call.query.columns);
    const module = contentType(call.query.content_type);
    if (!module) return [];
    const view = await this.trees.load(call, call.query, true);
    const { userId } = call.principal;
    const shared = view.tree.own
      .filter((folder) => folder.module === module && folder.createdBy === userId && isShared(folder, userId))
      .filter(({ subscribed }) => call.query.all || subscribed)
      .sort((left, right) => left.title.localeCompare(right.title) || Number(left.id) - Number(right.id));
    return reply(folderRows(shared, fields, view), { timestamp: view.stamp });
  }
}

const isShared = ({ permissions }: TreeFolder, userId: number): boolean =>
  permissions.some(({ entity, group }) => group || entity !== userId);
