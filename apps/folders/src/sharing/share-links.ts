import { Injectable } from '@nestjs/common';
import {
  FOLDER_RIGHTS,
  recordCheck,
  CatalogueError,
  FolderErrors,
  shareableFolderOwners,
  guests,
  ShareErrors,
  type GuestLink,
  type GuestLinkChange,
  type OwnedFolder,
  type OwnedPermission,
  type ShareTarget,
} from '@groupware/contracts';
import { parseRights, VIEWER_RIGHTS } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { FOLDER_TYPE } from '../domain/tree-folder';
import { Owners, type FolderRequest } from '../owners/owners';

/** Capability required to create links. */
const SHARE_LINKS = 'share_links';
/** Retries of writing a permission list under concurrent changes. */
const MAX_CONFLICTS = 3;

/** A shared folder with its link, where it has one. */
export interface LinkedFolder {
  readonly folder: OwnedFolder;
  readonly link: GuestLink | null;
}

/** Options of a new link. */
export interface LinkOptions {
  readonly password?: string;
  readonly expires?: number;
}

/** A found or created link. */
export interface FoundLink extends LinkedFolder {
  readonly link: GuestLink;
  readonly isNew: boolean;
}

/** Links to folders: the identity service stores the guest, the module of the folder his permissions. */
@Injectable()
export class ShareLinks {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  /** Finds or creates the link of a folder the user administrates. @throws SHR-0006 when concurrent writes prevail */
  async findOrCreateLink(request: FolderRequest, target: ShareTarget): Promise<FoundLink> {
    for (let attempt = 0; attempt < MAX_CONFLICTS; attempt++) {
      const { folder, link } = await this.getLinkedFolder(request, target, ShareErrors.noEditPermission);
      const prepared = await this.prepareLink(request, { folder, link });
      if (!prepared.isNew) return prepared;
      const { id } = prepared.link;
      try {
        const entry = { entity: id, bits: VIEWER_RIGHTS, group: false };
        const stamp = await this.writePermissions(request, folder, [...folder.permissions, entry]);
        await this.settleGuests(request, [id]);
        return { ...prepared, folder: { ...folder, lastModified: stamp } };
      } catch (error) {
        if (isConflict(error)) continue;
        await this.removeGuests(request, [id]);
        throw error;
      }
    }
    throw ShareErrors.changed();
  }

  /** Prepares the link a permission list names without an id. @throws FLD-0010, FLD-0072 */
  async prepareForPermissions(request: FolderRequest, id: string, facts: LinkOptions): Promise<FoundLink> {
    const folder = await this.owners.getFolder(request, id);
    if (!isAdministrated(folder)) throw FolderErrors.noAdminAccess(id);
    if (!request.principal.capabilities.includes(SHARE_LINKS)) throw FolderErrors.mayNotShare(id);
    return this.prepareLink(request, { folder, link: await this.findLink(request, folder) }, facts);
  }

  /** Requires the link in the client's version. @throws SHR-0003 without link, SHR-0006 when it changed since */
  async requireCurrentLink(
    request: FolderRequest,
    target: ShareTarget,
    timestamp: number,
    refused: () => CatalogueError,
  ): Promise<FoundLink> {
    const { folder, link } = await this.getLinkedFolder(request, target, refused);
    if (!link || !hasLink(folder, link)) throw ShareErrors.badLink(target.module, target.folder);
    if (toLinkStamp(folder, link) > timestamp) throw ShareErrors.changed();
    return { folder, link, isNew: false };
  }

  /** Changes pin, expiry or client data of a link. */
  async changeLink(
    request: FolderRequest,
    { folder, link }: FoundLink,
    change: Omit<GuestLinkChange, 'id'>,
  ): Promise<number> {
    const changed = await this.caller.call(guests.changeLink, {
      ...this.owners.toCallOptions(request),
      query: { id: link.id, ...change },
    });
    if (!changed) throw ShareErrors.badLink(folder.module, folder.id);
    return toLinkStamp(folder, changed);
  }

  /** Revokes the permissions of a link and removes its guest. */
  async removeLink(request: FolderRequest, { folder, link }: FoundLink): Promise<number> {
    const others = folder.permissions.filter(({ entity, group }) => group || entity !== link.id);
    try {
      const stamp = await this.writePermissions(request, folder, others);
      await this.removeGuests(request, [link.id]);
      return stamp;
    } catch (error) {
      throw isConflict(error) ? ShareErrors.changed() : error;
    }
  }

  /** Marks the permissions of guests as written. */
  async settleGuests(request: FolderRequest, ids: number[]): Promise<void> {
    await this.caller.call(guests.settle, { ...this.owners.toCallOptions(request), query: { ids } });
  }

  /** Removes guests. */
  async removeGuests(request: FolderRequest, ids: number[]): Promise<void> {
    await this.caller.call(guests.remove, { ...this.owners.toCallOptions(request), query: { ids } });
  }

  /** Reads a folder with its link. @throws SHR-0011, SHR-0012, `refused` unless the user administrates it */
  private async getLinkedFolder(
    request: FolderRequest,
    target: ShareTarget,
    refused: () => CatalogueError,
  ): Promise<LinkedFolder> {
    const { folder: id, item } = target;
    const module = target.module === 'files' ? 'infostore' : target.module;
    const owner = shareableFolderOwners().find((candidate) => candidate.module === module);
    if (!owner) throw ShareErrors.noSharing(module);
    if (item != null) throw ShareErrors.noItems(module);
    const folder = await this.owners.getFolder(request, id);
    if (folder.module !== module) throw FolderErrors.notFound(id);
    if (!isAdministrated(folder)) throw refused();
    return { folder, link: await this.findLink(request, folder) };
  }

  private findLink(request: FolderRequest, { module, id }: OwnedFolder): Promise<GuestLink | null> {
    return this.caller.call(guests.link, {
      ...this.owners.toCallOptions(request),
      query: { module, folder: Number(id) },
    });
  }

  /** Prepares the link with its guest, who has no permissions yet when it is new. */
  private async prepareLink(
    request: FolderRequest,
    { folder, link }: LinkedFolder,
    { password, expires }: LinkOptions = {},
  ): Promise<FoundLink> {
    if (link && hasLink(folder, link)) return { folder, link, isNew: false };
    if (folder.shownType === FOLDER_TYPE.trash) throw FolderErrors.mayNotShare(folder.id);
    // A link without permissions was withdrawn: its URL must not become valid again. One newer than the folder as read
    // is being created by a concurrent call, which must not lose it.
    if (link && link.changed < folder.lastModified) await this.removeGuests(request, [link.id]);
    const query = { module: folder.module, folder: Number(folder.id), password, expires };
    const made = await this.caller.call(guests.createLink, { ...this.owners.toCallOptions(request), query });
    return { folder, link: made, isNew: true };
  }

  private async writePermissions(
    request: FolderRequest,
    folder: OwnedFolder,
    permissions: OwnedPermission[],
  ): Promise<number> {
    const { contract } = this.owners.getOwnerOfFolder(request, String(folder.id), 'write');
    const query = { id: folder.id, timestamp: folder.lastModified, permissions };
    return (await this.caller.call(contract.update, { ...this.owners.toCallOptions(request), query })).lastModified;
  }
}

/** Stamp of a link: the newer of folder and guest. */
export const toLinkStamp = (folder: OwnedFolder, link: GuestLink): number =>
  Math.max(folder.lastModified, link.changed);

/** Whether the user administrates the folder, as its owner says. */
function isAdministrated({ ownRights }: OwnedFolder): boolean {
  recordCheck(FOLDER_RIGHTS.administer);
  return parseRights(ownRights).admin;
}

const hasLink = ({ permissions }: OwnedFolder, { id }: GuestLink): boolean =>
  permissions.some(({ entity, group }) => !group && entity === id);

const isConflict = (error: unknown): boolean =>
  error instanceof CatalogueError && error.is(FolderErrors.changedInTheMeantime);
