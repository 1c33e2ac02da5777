import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  guests,
  ShareErrors,
  type CatalogueError,
  type GuestLink,
  type GuestLinkChange,
  type ShareTarget,
} from '@groupware/contracts';
import { getOptionChanges, VIEWER_RIGHTS, type LinkOptions } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import type { KnownLinkInput } from '../domain/folder-input';
import { Owners, type FolderRequest } from '../owners/owners';
import { isConflict, LinkTargets, requireMayShare, type LinkTarget } from './link-targets';

/** Capability required to create links. */
const SHARE_LINKS = 'share_links';
/** Retries of writing a permission list under concurrent changes. */
const MAX_CONFLICTS = 3;

/** A shared folder or document with its link, where it has one. */
export interface LinkedTarget {
  readonly target: LinkTarget;
  readonly link: GuestLink | null;
}

/** Stamp of a changed link, and ids of folders below that it does not open since the user does not administrate them. */
export interface ChangedLink {
  readonly stamp: number;
  readonly skipped: readonly number[];
}

/** A found or created link. */
export interface FoundLink extends LinkedTarget {
  readonly link: GuestLink;
  readonly isNew: boolean;
}

/** The link of a permission list, with the pin and end that the list gives it. */
export interface ListedLink extends FoundLink {
  readonly options: LinkOptions;
}

/** Links to folders and documents: the identity service stores the guest, the module of the target his permissions. */
@Injectable()
export class ShareLinks {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly targets: LinkTargets,
  ) {}

  /** Finds or creates the link of a target that the user may share. @throws SHR-0006 when concurrent writes prevail */
  async findOrCreateLink(request: FolderRequest, wanted: ShareTarget): Promise<FoundLink> {
    for (let attempt = 0; attempt < MAX_CONFLICTS; attempt++) {
      const linked = await this.getLinkedTarget(request, wanted, ShareErrors.noEditPermission);
      const prepared = await this.prepareLink(request, linked);
      if (!prepared.isNew) return prepared;
      const { id } = prepared.link;
      try {
        const { target } = linked;
        const entry = { entity: id, bits: target.viewerBits, group: false };
        const stamp = await this.targets.writePermissions(request, target, [...target.permissions, entry]);
        await this.settleGuests(request, [id]);
        return { ...prepared, target: { ...target, lastModified: stamp } };
      } catch (error) {
        if (isConflict(error)) continue;
        await this.removeGuests(request, [id]);
        throw error;
      }
    }
    throw ShareErrors.changed();
  }

  /** Prepares the link a permission list names without an id. @throws FLD-0010, FLD-0072 */
  async prepareForPermissions(request: FolderRequest, id: string, options: LinkOptions): Promise<ListedLink> {
    const target = await this.targets.getFolder(request, id);
    requireMayLink(request, target, id);
    const link = await this.findLink(request, target);
    return { ...(await this.prepareLink(request, { target, link }, options)), options };
  }

  /** Prepares the link that the permission list of a folder names which is still to be made. @throws FLD-0072 */
  async prepareForNewFolder(request: FolderRequest, module: string, options: LinkOptions): Promise<ListedLink> {
    requireLinkCapability(request, 0);
    const { contract } = this.owners.getOwnerOfModule(request, module);
    const folder = await this.caller.call(contract.reserve, this.owners.toCallOptions(request));
    const target = {
      ...{ module, folder, title: '', lastModified: 0, permissions: [] },
      ...{ viewerBits: VIEWER_RIGHTS, inTrash: false, mayShare: true },
    };
    return { ...(await this.prepareLink(request, { target, link: null }, options)), options };
  }

  /**
   * Finds the link of a folder among the entries of known guests of a permission list; undefined where none is its guest.
   * @throws FLD-0010, FLD-0072 for another pin or end
   */
  async findForPermissions(
    request: FolderRequest,
    id: string,
    entries: readonly KnownLinkInput[],
  ): Promise<ListedLink | undefined> {
    const target = await this.targets.getFolder(request, id);
    const link = await this.findLink(request, target);
    const options = entries.find(({ entity }) => entity === link?.id);
    if (!link || !options) return undefined;
    if (getOptionChanges(link, options)) requireMayLink(request, target, id);
    return { target, link, isNew: false, options };
  }

  /** Gives the link of a permission list the pin and end of the list, where they differ; answers its stamp. */
  async writeOptions(request: FolderRequest, { options, ...found }: ListedLink): Promise<number> {
    const changes = getOptionChanges(found.link, options);
    return changes ? (await this.changeLink(request, found, changes)).stamp : toLinkStamp(found.target, found.link);
  }

  /** Requires the link in the client's version. @throws SHR-0003 without link, SHR-0006 when it changed since */
  async requireCurrentLink(
    request: FolderRequest,
    wanted: ShareTarget,
    timestamp: number,
    refused: () => CatalogueError,
  ): Promise<FoundLink> {
    const { target, link } = await this.getLinkedTarget(request, wanted, refused);
    if (!link || !hasLink(target, link)) throw ShareErrors.badLink(wanted.module, wanted.folder);
    if (toLinkStamp(target, link) > timestamp) throw ShareErrors.changed();
    return { target, link, isNew: false };
  }

  /** Changes pin, expiry, client data or reach of a link. Answers the new stamp, and folders below that it does not open. */
  async changeLink(
    request: FolderRequest,
    { target, link }: FoundLink,
    change: Omit<GuestLinkChange, 'id'>,
  ): Promise<ChangedLink> {
    const includesBelow = change.includesBelow === link.includesBelow ? undefined : change.includesBelow;
    // Folders below are closed before and after the link is marked: those that are made meanwhile follow the mark.
    if (includesBelow === false)
      await this.targets.writeBranchLink(request, target, { entity: link.id, includesBelow });
    const changed = await this.caller.call(guests.changeLink, {
      ...this.owners.toCallOptions(request),
      query: { id: link.id, ...change },
    });
    if (!changed)
      throw change.known === undefined ? ShareErrors.badLink(target.module, target.folder) : ShareErrors.changed();
    // Always where it is asked for: an earlier call may have ended half-way.
    if (change.includesBelow === undefined || target.item !== undefined)
      return { stamp: toLinkStamp(target, changed), skipped: [] };
    const branchLink = { entity: link.id, includesBelow: change.includesBelow };
    const { lastModified, skipped = [] } = await this.targets.writeBranchLink(request, target, branchLink);
    return { stamp: toLinkStamp({ ...target, lastModified }, changed), skipped };
  }

  /** Revokes the permissions of a link and removes its guest. */
  async removeLink(request: FolderRequest, { target, link }: FoundLink): Promise<number> {
    const others = target.permissions.filter(({ entity, group }) => group || entity !== link.id);
    try {
      const stamp = await this.targets.writePermissions(request, target, others);
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

  /** Reads a target with its link. @throws SHR-0011, SHR-0012, `refused` unless the user may share it */
  private async getLinkedTarget(
    request: FolderRequest,
    wanted: ShareTarget,
    refused: () => CatalogueError,
  ): Promise<LinkedTarget> {
    const target = await this.targets.getShareable(request, wanted, refused);
    return { target, link: await this.findLink(request, target) };
  }

  private findLink(request: FolderRequest, target: LinkTarget): Promise<GuestLink | null> {
    return this.caller.call(guests.link, { ...this.owners.toCallOptions(request), query: toGuestTarget(target) });
  }

  /** Prepares the link with its guest, who has no permissions yet when it is new. */
  private async prepareLink(
    request: FolderRequest,
    { target, link }: LinkedTarget,
    { password, expires }: LinkOptions = {},
  ): Promise<FoundLink> {
    if (link && hasLink(target, link)) return { target, link, isNew: false };
    if (target.inTrash) throw FolderErrors.mayNotShare(target.folder);
    // A link without permissions was withdrawn: its URL must not become valid again. One newer than the target as read
    // is being created by a concurrent call, which must not lose it.
    if (link && link.changed < target.lastModified) await this.removeGuests(request, [link.id]);
    const query = { ...toGuestTarget(target), password: password ?? undefined, expires: expires ?? undefined };
    const made = await this.caller.call(guests.createLink, { ...this.owners.toCallOptions(request), query });
    return { target, link: made, isNew: true };
  }
}

/** Stamp of a link: the newer of target and guest. */
export const toLinkStamp = (target: LinkTarget, link: GuestLink): number => Math.max(target.lastModified, link.changed);

/** Refuses who may not share a folder by link. @throws FLD-0010, FLD-0072 */
function requireMayLink(request: FolderRequest, target: LinkTarget, id: string): void {
  requireMayShare(target, () => FolderErrors.noAdminAccess(id));
  requireLinkCapability(request, id);
}

/** Refuses who may not make links. @throws FLD-0072 */
function requireLinkCapability({ principal }: FolderRequest, id: string | number): void {
  if (!principal.capabilities.includes(SHARE_LINKS)) throw FolderErrors.mayNotShare(id);
}

/** Target that the guest of a link is kept by: a document wherever it is, so that the link outlives a move. */
const toGuestTarget = ({ module, folder, item }: LinkTarget) =>
  item === undefined ? { module, folder } : { module, item };

const hasLink = ({ permissions }: LinkTarget, { id }: GuestLink): boolean =>
  permissions.some(({ entity, group }) => !group && entity === id);
