import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { toTreeId } from '../domain/content-types';
import { toFolderObject } from '../tree/folder-wire';
import { folder as folderPart } from '../tree/tree-parts';
import { TreeLoader } from '../tree/tree-loader';

/** `get`: reads one folder. */
@Handles(folders.get)
export class GetHandler implements Handler<typeof folders.get> {
  constructor(private readonly trees: TreeLoader) {}

  async handle(call: CallOf<typeof folders.get>) {
    const id = toTreeId(call.query.id);
    const view = await this.trees.loadViewOf(call, id, () =>
      this.trees.loadView(call, call.query, { part: folderPart(id), counts: true, permissions: true, people: true }),
    );
    const folder = view.tree.getFolder(id);
    return reply(toFolderObject(folder, view), { timestamp: folder.lastModified });
  }
}
