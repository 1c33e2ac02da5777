import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  FOLDER_RIGHTS,
  FolderErrors,
  InfostoreErrors,
  recordCheck,
  requireModuleScope,
  shareableFolderOwners,
  sharedDocuments,
  ShareErrors,
  type BranchLink,
  type OwnedFolder,
  type OwnedFolderWritten,
  type OwnedPermission,
  type ShareTarget,
} from '@groupware/contracts';
import { parseRights, VIEWER_RIGHTS } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { FOLDER_TYPE } from '../domain/tree-folder';
import { Owners, type FolderRequest } from '../owners/owners';

/** Right to read a document by itself. */
const READ_DOCUMENT = 1;

/** A folder or document that may have a link. */
export interface LinkTarget {
  readonly module: string;
  readonly folder: number;
  /** Number of a document; undefined for a folder. */
  readonly item?: number;
  readonly title: string;
  readonly lastModified: number;
  readonly permissions: readonly OwnedPermission[];
  /** Rights of who comes by the link. */
  readonly viewerBits: number;
  readonly inTrash: boolean;
  readonly mayShare: boolean;
}

/** Reads what links lead to, and writes the rights on it: folders at their owners, documents at the files service. */
@Injectable()
export class LinkTargets {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
  ) {}

  /** Reads a target. @throws SHR-0011, SHR-0012, `refused` unless the user may share it */
  async getShareable(request: FolderRequest, target: ShareTarget, refused: () => CatalogueError): Promise<LinkTarget> {
    const module = target.module === 'files' ? 'infostore' : target.module;
    if (!shareableFolderOwners().some((owner) => owner.module === module)) throw ShareErrors.noSharing(module);
    if (target.item != null && module !== 'infostore') throw ShareErrors.noItems(module);
    const found =
      target.item == null
        ? await this.getFolder(request, target.folder)
        : await this.getDocument(request, target.folder, target.item);
    if (found.module !== module) throw FolderErrors.notFound(target.folder);
    requireMayShare(found, refused);
    return found;
  }

  /** Reads a folder. */
  async getFolder(request: FolderRequest, id: string): Promise<LinkTarget> {
    return toTarget(await this.owners.getFolder(request, id));
  }

  /** Writes the rights on a target; the stamp that it has now. @throws the conflict of its module */
  async writePermissions(
    request: FolderRequest,
    { folder, item, lastModified: timestamp }: LinkTarget,
    permissions: readonly OwnedPermission[],
  ): Promise<number> {
    const options = this.owners.toCallOptions(request);
    if (item !== undefined) {
      const query = { id: item, timestamp, permissions };
      return this.caller.call(sharedDocuments.update, { ...options, query });
    }
    const { contract } = this.owners.getOwnerOfFolder(request, String(folder), 'write');
    const query = { id: folder, timestamp, permissions: [...permissions] };
    return (await this.caller.call(contract.update, { ...options, query })).lastModified;
  }

  /** Lets a link of a folder open the folders below, or not. */
  writeBranchLink(
    request: FolderRequest,
    { folder }: LinkTarget,
    branchLink: BranchLink,
  ): Promise<Pick<OwnedFolderWritten, 'lastModified' | 'skipped'>> {
    const { contract } = this.owners.getOwnerOfFolder(request, String(folder), 'write');
    return this.caller.call(contract.update, {
      ...this.owners.toCallOptions(request),
      query: { id: folder, branchLink },
    });
  }

  private async getDocument(request: FolderRequest, folder: string, item: string): Promise<LinkTarget> {
    requireModuleScope(request.principal, 'infostore', 'read');
    const { id, ...facts } = await this.caller.call(sharedDocuments.get, {
      ...this.owners.toCallOptions(request),
      query: { id: item, folder },
    });
    return { module: 'infostore', folder: Number(folder), item: id, viewerBits: READ_DOCUMENT, ...facts };
  }
}

/** Refuses a target that the user must not share, as its owner says. */
export function requireMayShare({ mayShare }: LinkTarget, refused: () => CatalogueError): void {
  recordCheck(FOLDER_RIGHTS.administer);
  if (!mayShare) throw refused();
}

/** True for the error of a target that was changed at the same time. */
export const isConflict = (error: unknown): boolean =>
  error instanceof CatalogueError &&
  (error.is(FolderErrors.changedInTheMeantime) || error.is(InfostoreErrors.changedInTheMeantime));

const toTarget = ({ id, module, title, lastModified, permissions, shownType, ownRights }: OwnedFolder): LinkTarget => ({
  ...{ module, folder: Number(id), title, lastModified, permissions, viewerBits: VIEWER_RIGHTS },
  inTrash: shownType === FOLDER_TYPE.trash,
  mayShare: parseRights(ownRights).admin,
});
