import { folders, FolderErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { folderOfBody, permissionsOf, propertiesOf, withFreeName } from '../folder-input';
import { Owners } from '../owners';
import { ParentCheck } from '../parent-check';
import { moduleNamed } from '../tree/allowed-modules';
import { TreeLoader } from '../tree/tree-loader';

/** `update`: name, place, permissions, subscription or attributes of a folder. */
@Handles(folders.update)
export class UpdateHandler implements Handler<typeof folders.update> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly parents: ParentCheck,
    private readonly trees: TreeLoader,
  ) {}

  async handle(call: CallOf<typeof folders.update>) {
    const { id, timestamp, cascadePermissions: cascade } = call.query;
    if (/^u:/.test(id)) throw FolderErrors.sharedNotUpdated();
    if (/^1?\d$/.test(id)) throw FolderErrors.noAdminAccess(id);
    const owner = this.owners.ofFolder(id);
    const folder = folderOfBody(call.body);
    if (folder.module !== undefined && moduleNamed(folder.module ?? '') !== owner.module)
      throw FolderErrors.moduleFixed();
    const place = await this.place(call, folder.folder_id, owner.module);
    const change = {
      id: Number(id),
      timestamp,
      parent: place?.parent,
      foreignParent: place?.foreignParent,
      permissions: permissionsOf(folder),
      cascade,
      subscribed: folder.subscribed ?? undefined,
      properties: propertiesOf(folder),
    };
    const write = (title: string | undefined) =>
      this.caller.call(owner.contract.update, { ...this.owners.outgoing(call), query: { ...change, title } });
    const written =
      folder.title == null
        ? await write(undefined)
        : await withFreeName(folder.title, call.query.autorename, (title) => write(title));
    return reply(String(written.id), { timestamp: written.lastModified });
  }

  /** The new place; undefined when the body names none or the one in which the client sees the folder. */
  private async place(call: CallOf<typeof folders.update>, wanted: string | null | undefined, module: string) {
    if (wanted == null) return undefined;
    const { tree } = await this.trees.load(call, { ...call.query, allowed_modules: undefined });
    if (tree.find(call.query.id)?.parent === wanted) return undefined;
    if (/^(u:\d+|3)$/.test(wanted)) throw FolderErrors.intoShared();
    return this.parents.place(call, wanted, module);
  }
}
