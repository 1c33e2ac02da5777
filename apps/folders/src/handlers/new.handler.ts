import { folders, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { folderOfBody, noticeOf, permissionsOf, propertiesOf } from '../folder-input';
import { Owners } from '../owners';
import { ParentCheck } from '../parent-check';
import { GuestEntries } from '../sharing/guest-entries';
import { treeId } from '../tree/folder-tree';
import { FOLDER_TYPE } from '../tree/tree-folder';

/** `new`: a folder, made by the module that will own it. */
@Handles(folders.new)
export class NewHandler implements Handler<typeof folders.new> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly parents: ParentCheck,
    private readonly guests: GuestEntries,
  ) {}

  async handle(call: CallOf<typeof folders.new>) {
    treeId(call.query.tree);
    const folder = folderOfBody(call.body);
    const { module, parent, foreignParent } = await this.parents.place(
      call,
      call.query.folder_id,
      folder.module ?? undefined,
    );
    const { contract } = this.owners.ofModule(call, module);
    const written = await this.guests.with(call, permissionsOf(folder), undefined, (permissions) =>
      this.caller.call(contract.create, {
        ...this.owners.outgoing(call),
        query: {
          parent,
          foreignParent,
          title: folder.title ?? '',
          permissions,
          subscribed: folder.subscribed ?? undefined,
          properties: propertiesOf(folder),
          // Shared folders are private ones of somebody else.
          type: folder.type === FOLDER_TYPE.shared ? FOLDER_TYPE.private : (folder.type ?? undefined),
          autorename: call.query.autorename,
          notice: noticeOf(call.body.notification),
        },
      }),
    );
    return reply(String(written.id), { timestamp: written.lastModified });
  }
}
