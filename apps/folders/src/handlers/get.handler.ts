import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ShareAddresses } from '../sharing/share-addresses';
import { toTreeId } from '../domain/content-types';
import { toFolderObject } from '../tree/folder-wire';
import { folder as folderPart } from '../tree/tree-parts';
import { TreeLoader } from '../tree/tree-loader';

/** `get`: reads one folder. */
@Handles(folders.get)
export class GetHandler implements Handler<typeof folders.get> {
  constructor(
    private readonly trees: TreeLoader,
    private readonly addresses: ShareAddresses,
  ) {}

  async handle(call: CallOf<typeof folders.get>) {
    const id = toTreeId(call.query.id);
    const view = await this.trees.loadViewOf(call, id, () =>
      this.trees.loadView(call, call.query, { part: folderPart(id), counts: true, permissions: true, contacts: true }),
    );
    const folder = view.tree.getFolder(id);
    const object = toFolderObject(folder, await this.addresses.addAddresses(view, folder, call));
    return reply(object, { timestamp: folder.lastModified });
  }
}
