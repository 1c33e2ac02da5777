import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { folderOfBody, permissionsOf, propertiesOf, withFreeName } from '../folder-input';
import { Owners } from '../owners';
import { ParentCheck } from '../parent-check';
import { treeId } from '../tree/folder-tree';

/** `new`: a folder, made by the module that will own it. */
@Handles(folders.new)
export class NewHandler implements Handler<typeof folders.new> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly parents: ParentCheck,
  ) {}

  async handle(call: CallOf<typeof folders.new>) {
    treeId(call.query.tree);
    const folder = folderOfBody(call.body);
    const { module, parent, foreignParent } = await this.parents.place(call, call.query.folder_id, folder.module);
    const { contract } = this.owners.ofModule(module);
    const written = await withFreeName(folder.title ?? '', call.query.autorename, (title) =>
      this.caller.call(contract.create, {
        ...this.owners.outgoing(call),
        query: {
          parent,
          foreignParent,
          title,
          permissions: permissionsOf(folder),
          subscribed: folder.subscribed,
          properties: propertiesOf(folder),
        },
      }),
    );
    return reply(String(written.id), { timestamp: written.lastModified });
  }
}
