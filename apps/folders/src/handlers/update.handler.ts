import { folders, FolderErrors, reply, type CallOf, type FolderData, type Handler } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import {
  parseAccountConfig,
  parseAttributes,
  parseNotice,
  parsePermissions,
  toFolderInput,
} from '../domain/folder-input';
import { Owners, toCatalogueError } from '../owners/owners';
import { ParentCheck } from '../owners/parent-check';
import { findModule, IdForm, toTreeId, toWrittenId } from '../domain/content-types';
import { zoneOf } from '../domain/request-zone';
import { GuestEntries } from '../sharing/guest-entries';
import { ShareMails } from '../sharing/share-mails';
import { parseTreeId } from '../tree/folder-tree';
import { isSystemId } from '../domain/system-folders';
import { FOLDER_TYPE } from '../domain/tree-folder';
import { below } from '../tree/tree-parts';
import { TreeLoader } from '../tree/tree-loader';

/** `update`: changes name, parent, permissions, subscription or attributes of a folder. */
@Handles(folders.update)
export class UpdateHandler implements Handler<typeof folders.update> {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly parents: ParentCheck,
    private readonly trees: TreeLoader,
    private readonly guests: GuestEntries,
    private readonly mails: ShareMails,
  ) {}

  async handle(call: CallOf<typeof folders.update>) {
    const { id, timestamp, cascadePermissions: cascade, autorename, ignoreWarnings } = call.query;
    parseTreeId(call.query.tree);
    const folder = toFolderInput(call.body);
    requireStored(id, folder);
    const owner = this.owners.getOwnerOfFolder(call, id, 'write');
    if (folder.module != null && findModule(folder.module) !== owner.module) await this.refuseModule(call);
    const place = await this.resolvePlace(call, folder, owner.module);
    const notice = parseNotice(call.body.notification);
    const { written, invited, linkStamp } = await this.guests.withGuests(
      call,
      parsePermissions(folder, zoneOf(call.principal, call.query.timezone)),
      { module: owner.module, folder: id },
      (permissions) =>
        this.caller.call(owner.contract.update, {
          ...this.owners.toCallOptions(call),
          query: {
            id: owner.key,
            timestamp,
            parent: place?.parent,
            foreignParent: place?.foreignParent,
            title: folder.title ?? undefined,
            permissions,
            cascade,
            subscribed: folder.subscribed ?? undefined,
            ...parseAttributes(folder),
            accountConfig: owner.module === 'calendar' ? parseAccountConfig(folder) : undefined,
            autorename,
            ignoreWarnings,
            notice,
          },
        }),
    );
    const skipped = (written.skipped ?? []).map((folder) => FolderErrors.noAdminAccess(folder));
    const lost = (written.warnings ?? []).map(({ error, params }) => toCatalogueError(error, params));
    const told = await this.mails.inviteGuests(call, written.id, invited, notice);
    return reply(toWrittenId(written, IdForm.fromParameters({ id })), {
      timestamp: Math.max(written.lastModified, linkStamp ?? 0),
      warnings: [...skipped, ...lost, ...told],
    });
  }

  private async refuseModule(call: CallOf<typeof folders.update>): Promise<never> {
    const { isDefault } = await this.owners.getFolder(call, call.query.id);
    throw isDefault ? FolderErrors.defaultModuleFixed() : FolderErrors.moduleFixed();
  }

  /** Resolves the new parent; undefined when absent or unchanged for the client. */
  private async resolvePlace(
    call: CallOf<typeof folders.update>,
    { folder_id, subscribed }: FolderData,
    module: string,
  ) {
    const wanted = folder_id == null ? undefined : toTreeId(folder_id);
    if (wanted === undefined && subscribed !== false) return undefined;
    const id = toTreeId(call.query.id);
    const { tree } = await this.trees.loadPaths(call, call.query, wanted === undefined ? [id] : [id, wanted], {
      part: below(id),
    });
    if (subscribed === false && tree.listChildren(id).some((child) => child.subscribed))
      throw FolderErrors.unsubscribeChildrenFirst();
    const seen = tree.findFolder(id);
    if (wanted === undefined || seen?.parent === wanted) return undefined;
    if (seen?.type === FOLDER_TYPE.shared) throw FolderErrors.sharedNotMoved();
    if (/^(u:\d+|3)$/.test(wanted)) throw FolderErrors.intoShared();
    // A cycle across modules, which no single module detects.
    if (wanted !== id && tree.listPath(wanted).some((step) => step.id === id)) throw FolderErrors.belowItself();
    return this.parents.resolvePlace(call, wanted, module);
  }
}

/** Requires a folder stored by a module. */
function requireStored(id: string, { folder_id: wanted }: FolderData): void {
  if (/^u:/.test(id)) throw FolderErrors.sharedNotUpdated();
  if (isSystemId(id)) throw wanted == null ? FolderErrors.noAdminAccess(id) : FolderErrors.systemNotMoved();
}
