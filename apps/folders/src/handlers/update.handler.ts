import { folders, FolderErrors, reply, type CallOf, type FolderData, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { folderOfBody, noticeOf, permissionsOf, propertiesOf } from '../folder-input';
import { Owners } from '../owners';
import { ParentCheck } from '../parent-check';
import { moduleNamed } from '../tree/allowed-modules';
import { GuestEntries } from '../sharing/guest-entries';
import { treeId } from '../tree/folder-tree';
import { isSystemId } from '../tree/system-folders';
import { FOLDER_TYPE } from '../tree/tree-folder';
import { TreeLoader } from '../tree/tree-loader';

/** `update`: name, place, permissions, subscription or attributes of a folder. */
@Handles(folders.update)
export class UpdateHandler implements Handler<typeof folders.update> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly parents: ParentCheck,
    private readonly trees: TreeLoader,
    private readonly guests: GuestEntries,
  ) {}

  async handle(call: CallOf<typeof folders.update>) {
    const { id, timestamp, cascadePermissions: cascade, autorename } = call.query;
    treeId(call.query.tree);
    const folder = folderOfBody(call.body);
    requireStored(id, folder);
    const owner = this.owners.ofFolder(call, id, 'write');
    if (folder.module != null && moduleNamed(folder.module) !== owner.module) await this.refuseModule(call);
    const place = await this.place(call, folder, owner.module);
    const written = await this.guests.with(call, permissionsOf(folder), id, (permissions) =>
      this.caller.call(owner.contract.update, {
        ...this.owners.outgoing(call),
        query: {
          id: Number(id),
          timestamp,
          parent: place?.parent,
          foreignParent: place?.foreignParent,
          title: folder.title ?? undefined,
          permissions,
          cascade,
          subscribed: folder.subscribed ?? undefined,
          properties: propertiesOf(folder),
          autorename,
          notice: noticeOf(call.body.notification),
        },
      }),
    );
    return reply(String(written.id), { timestamp: written.lastModified });
  }

  private async refuseModule(call: CallOf<typeof folders.update>): Promise<never> {
    const { isDefault } = await this.owners.folder(call, call.query.id);
    throw isDefault ? FolderErrors.defaultModuleFixed() : FolderErrors.moduleFixed();
  }

  /** The new place; undefined when the body names none or the one in which the client sees the folder. */
  private async place(
    call: CallOf<typeof folders.update>,
    { folder_id: wanted, subscribed }: FolderData,
    module: string,
  ) {
    if (wanted == null && subscribed !== false) return undefined;
    const { id } = call.query;
    const { tree } = await this.trees.load(call, call.query);
    if (subscribed === false && tree.below(id).some((child) => child.subscribed))
      throw FolderErrors.unsubscribeChildrenFirst();
    const seen = tree.find(id);
    if (wanted == null || seen?.parent === wanted) return undefined;
    if (seen?.type === FOLDER_TYPE.shared) throw FolderErrors.sharedNotMoved();
    if (/^(u:\d+|3)$/.test(wanted)) throw FolderErrors.intoShared();
    // A circle over several modules, which none of them sees.
    if (wanted !== id && tree.path(wanted).some((step) => step.id === id)) throw FolderErrors.belowItself();
    return this.parents.place(call, wanted, module);
  }
}

/** Refuses folders that no module keeps. */
function requireStored(id: string, { folder_id: wanted }: FolderData): void {
  if (/^u:/.test(id)) throw FolderErrors.sharedNotUpdated();
  if (isSystemId(id)) throw wanted == null ? FolderErrors.noAdminAccess(id) : FolderErrors.systemNotMoved();
}
