import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Owners } from '../owners';
import { ShareAddresses } from '../sharing/share-addresses';
import { folderObject } from '../tree/folder-wire';
import { TreeLoader } from '../tree/tree-loader';

/** `get`: one folder. */
@Handles(folders.get)
export class GetHandler implements Handler<typeof folders.get> {
  constructor(
    private readonly trees: TreeLoader,
    private readonly owners: Owners,
    private readonly addresses: ShareAddresses,
  ) {}

  async handle(call: CallOf<typeof folders.get>) {
    const view = await this.trees.load(call, call.query);
    // Its owner says why it is not there, or that it does not run.
    if (!view.tree.find(call.query.id)) await this.owners.folder(call, call.query.id);
    const folder = view.tree.get(call.query.id);
    const object = folderObject(folder, await this.addresses.addTo(view, folder, call));
    return reply(object, { timestamp: folder.lastModified });
  }
}
