import { Injectable } from '@nestjs/common';
import { FolderErrors } from '@groupware/contracts';
import { addsEntity, toFolderPath, TrashRepository, type TreePlace } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import type { Document, StoredPermission } from '../domain/document';
import { FolderContentRepository } from '../persistence/folder-content.repository';
import type { DocumentRequest } from './document-requests';

/** How a document changes with its folder. */
export interface Placement {
  readonly change: Pick<Document, 'folderId'> &
    Partial<Pick<Document, 'origin' | 'originPath' | 'lockedBy' | 'lockedUntil'>>;
  /** The rights on the document end. */
  readonly permissions?: [];
}

/**
 * Tells how documents change with their folders, the same for `delete`, `move`, `update`, `restore` and `clear`: in a trash they
 * know where they were, are locked by and shared with nobody; into public folders they go without rights of their own.
 */
@Injectable()
export class DocumentTrash {
  constructor(
    private readonly trashes: TrashRepository,
    private readonly content: FolderContentRepository,
  ) {}

  /** Places of folders: which are a trash or stand in one. */
  listPlaces(tx: Transaction, folderIds: readonly number[]): Promise<ReadonlyMap<number, TreePlace>> {
    return this.trashes.listPlaces(tx, [...new Set(folderIds)]);
  }

  /** Changes of documents that go into a folder, by the folder where they are. */
  async resolvePlacements(
    tx: Transaction,
    sources: readonly number[],
    target: number,
  ): Promise<ReadonlyMap<number, Placement>> {
    const ids = [...new Set(sources)];
    if (ids.length === 0) return new Map();
    const places = await this.listPlaces(tx, [...ids, target]);
    const into = places.get(target);
    const placements = new Map<number, Placement>();
    for (const id of ids) {
      const from = places.get(id);
      if (into?.inTrash && !from?.inTrash) {
        const where = { origin: id, originPath: await this.describePath(tx, id) };
        placements.set(id, {
          change: { folderId: target, ...where, lockedBy: null, lockedUntil: null },
          permissions: [],
        });
        continue;
      }
      const leaves = from?.inTrash && !into?.inTrash;
      placements.set(id, {
        change: { folderId: target, ...(leaves && { origin: null, originPath: null }) },
        ...(into?.isPublic && !from?.isPublic && { permissions: [] }),
      });
    }
    return placements;
  }

  /**
   * Refuses permissions that share what is in a trash, or goes there, with more users, groups and guests.
   * @param before the permissions that the document has
   * @throws FLD-0072
   */
  async requireOutsideTrash(
    tx: Transaction,
    folderId: number,
    { permissions }: Pick<DocumentRequest, 'permissions'>,
    before: readonly StoredPermission[] = [],
  ): Promise<void> {
    if (!addsEntity(permissions ?? [], before)) return;
    const place = (await this.listPlaces(tx, [folderId])).get(folderId);
    if (place?.inTrash) throw FolderErrors.mayNotShare(folderId);
  }

  /** Path of a folder in a trash before it was thrown away, by itself or with one above it; undefined for the trash itself. */
  async findThrownPath(tx: Transaction, folderId: number): Promise<string | undefined> {
    const thrown = (await this.content.listThrownPaths(tx, [folderId])).get(folderId);
    return thrown && thrown.originPath + toFolderPath(thrown.names);
  }

  /** Path of a folder and those above it. */
  private async describePath(tx: Transaction, folderId: number): Promise<string> {
    const path = await this.content.listPath(tx, folderId);
    return toFolderPath(path.map(({ title }) => title).reverse());
  }
}
