import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  FolderErrors,
  folderOwners,
  guests,
  ShareErrors,
  type GuestLink,
  type GuestLinkChange,
  type OwnedFolder,
  type OwnedPermission,
  type ShareTarget,
} from '@groupware/contracts';
import { rightsOf, VIEWER_RIGHTS } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { Owners, type Request } from '../owners';

/** Capability without which users make no links. */
const SHARE_LINKS = 'share_links';
/** Attempts to write a permission list that others change at the same time. */
const MAX_CONFLICTS = 3;

/** A shared folder with its link, where it has one. */
export interface LinkedFolder {
  readonly folder: OwnedFolder;
  readonly link: GuestLink | null;
}

/** What a new link may have. */
export interface LinkFacts {
  readonly password?: string;
  readonly expires?: number;
}

/** A link as it was made or found. */
export interface FoundLink extends LinkedFolder {
  readonly link: GuestLink;
  readonly isNew: boolean;
}

/** Links to folders: the guest is kept by the identity service, his rights by the module of the folder. */
@Injectable()
export class ShareLinks {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  /** The link of a folder that the user administrates; made when there is none. @throws SHR-0006 when others write all the time */
  async findOrMake(request: Request, target: ShareTarget): Promise<FoundLink> {
    for (let attempt = 0; attempt < MAX_CONFLICTS; attempt++) {
      const { folder, link } = await this.linked(request, target, ShareErrors.noEditPermission);
      const prepared = await this.prepare(request, { folder, link });
      if (!prepared.isNew) return prepared;
      const { id } = prepared.link;
      try {
        const entry = { entity: id, bits: VIEWER_RIGHTS, group: false };
        const stamp = await this.write(request, folder, [...folder.permissions, entry]);
        await this.settle(request, [id]);
        return { ...prepared, folder: { ...folder, lastModified: stamp } };
      } catch (error) {
        if (isConflict(error)) continue;
        await this.forget(request, [id]);
        throw error;
      }
    }
    throw ShareErrors.changed();
  }

  /** The link that a permission list of the folder names without a number. @throws FLD-0010, FLD-0072 */
  async forList(request: Request, id: string, facts: LinkFacts): Promise<FoundLink> {
    const folder = await this.owners.folder(request, id);
    if (!rightsOf(folder.ownRights).admin) throw FolderErrors.noAdminAccess(id);
    if (!request.principal.capabilities.includes(SHARE_LINKS)) throw FolderErrors.mayNotShare(id);
    return this.prepare(request, { folder, link: await this.linkOf(request, folder) }, facts);
  }

  /** The link as the client knows it. @throws SHR-0003 without link, SHR-0006 when it was changed later */
  async known(
    request: Request,
    target: ShareTarget,
    timestamp: number,
    refused: () => CatalogueError,
  ): Promise<FoundLink> {
    const { folder, link } = await this.linked(request, target, refused);
    if (!link || !hasLink(folder, link)) throw ShareErrors.badLink(target.module, target.folder);
    if (stampOf(folder, link) > timestamp) throw ShareErrors.changed();
    return { folder, link, isNew: false };
  }

  /** Gives a link another pin, end or data of clients. */
  async change(request: Request, { folder, link }: FoundLink, change: Omit<GuestLinkChange, 'id'>): Promise<number> {
    const changed = await this.caller.call(guests.changeLink, {
      ...this.owners.outgoing(request),
      query: { id: link.id, ...change },
    });
    if (!changed) throw ShareErrors.badLink(folder.module, folder.id);
    return stampOf(folder, changed);
  }

  /** Takes the rights of a link away, and removes its guest. */
  async remove(request: Request, { folder, link }: FoundLink): Promise<number> {
    const others = folder.permissions.filter(({ entity, group }) => group || entity !== link.id);
    try {
      const stamp = await this.write(request, folder, others);
      await this.forget(request, [link.id]);
      return stamp;
    } catch (error) {
      throw isConflict(error) ? ShareErrors.changed() : error;
    }
  }

  /** Notes that the rights of guests are written. */
  async settle(request: Request, ids: number[]): Promise<void> {
    await this.caller.call(guests.settle, { ...this.owners.outgoing(request), query: { ids } });
  }

  /** Removes guests. */
  async forget(request: Request, ids: number[]): Promise<void> {
    await this.caller.call(guests.remove, { ...this.owners.outgoing(request), query: { ids } });
  }

  /** The folder and its link. @throws SHR-0011, SHR-0012, `refused` unless the user administrates it */
  private async linked(request: Request, target: ShareTarget, refused: () => CatalogueError): Promise<LinkedFolder> {
    const { module, folder: id, item } = target;
    const owner = folderOwners().find((candidate) => candidate.module === module);
    if (!owner) throw ShareErrors.noSharing(module);
    if (item != null) throw ShareErrors.noItems(module);
    const folder = await this.owners.folder(request, id);
    if (folder.module !== module) throw FolderErrors.notFound(id);
    if (!rightsOf(folder.ownRights).admin) throw refused();
    return { folder, link: await this.linkOf(request, folder) };
  }

  private linkOf(request: Request, { module, id }: OwnedFolder): Promise<GuestLink | null> {
    return this.caller.call(guests.link, { ...this.owners.outgoing(request), query: { module, folder: id } });
  }

  /** The link with its guest, who has no rights yet when the link is new. */
  private async prepare(
    request: Request,
    { folder, link }: LinkedFolder,
    { password, expires }: LinkFacts = {},
  ): Promise<FoundLink> {
    if (link && hasLink(folder, link)) return { folder, link, isNew: false };
    // Whoever took the rights away withdrew the link: its address must not come to life again. One that is newer than the
    // folder as it was read is just being made by another call, which must not lose it.
    if (link && link.changed < folder.lastModified) await this.forget(request, [link.id]);
    const query = { module: folder.module, folder: folder.id, password, expires };
    const made = await this.caller.call(guests.createLink, { ...this.owners.outgoing(request), query });
    return { folder, link: made, isNew: true };
  }

  private async write(request: Request, folder: OwnedFolder, permissions: OwnedPermission[]): Promise<number> {
    const { contract } = this.owners.ofFolder(request, String(folder.id), 'write');
    const query = { id: folder.id, timestamp: folder.lastModified, permissions };
    return (await this.caller.call(contract.update, { ...this.owners.outgoing(request), query })).lastModified;
  }
}

/** Stamp of a link: that of the folder or of the guest, whichever is newer. */
export const stampOf = (folder: OwnedFolder, link: GuestLink): number => Math.max(folder.lastModified, link.changed);

const hasLink = ({ permissions }: OwnedFolder, { id }: GuestLink): boolean =>
  permissions.some(({ entity, group }) => !group && entity === id);

const isConflict = (error: unknown): boolean =>
  error instanceof CatalogueError && error.is(FolderErrors.changedInTheMeantime);
