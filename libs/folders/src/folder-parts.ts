import { Injectable } from '@nestjs/common';
import type { FolderModule, OwnedFolderListing, UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { LRUCache } from 'lru-cache';
import { SHARE_FOLDERS } from './domain/rights';
import { FolderScopes } from './persistence/folder-scope.repository';
import type { ScopedFolder } from './stored-folder';

/** Most folders kept in one process. */
const MAX_FOLDERS = 20_000;
/** A larger part is not kept. */
const MAX_PART = 500;

interface KeptPart {
  readonly stamp: number;
  readonly folders: readonly ScopedFolder[];
}

/**
 * Reads parts of the tree, and keeps them until a folder of the context changes: clients ask every few minutes for parts that hardly
 * ever do. Every change of what a user sees of folders has a stamp of the context, so that a part is the same while the stamp is.
 */
@Injectable()
export class FolderParts {
  private readonly kept = new LRUCache<string, KeptPart>({
    maxSize: MAX_FOLDERS,
    maxEntrySize: MAX_PART,
    // Those without folders take room as well.
    sizeCalculation: ({ folders }) => folders.length + 1,
  });

  constructor(private readonly scopes: FolderScopes) {}

  /**
   * Lists the folders of a part that the user sees, in no particular order.
   * @param stamp that of the context, read before
   */
  async list(
    db: Reader,
    user: UserPrincipal,
    module: FolderModule,
    part: OwnedFolderListing,
    stamp: number,
  ): Promise<readonly ScopedFolder[]> {
    // Of a new context nothing has a stamp yet; changes are asked for with another stamp each time.
    if (stamp === 0 || part.since !== undefined) return this.scopes.listVisible(db, user, module, part);
    const key = keyOf(user, part);
    const known = this.kept.get(key);
    if (known?.stamp === stamp) return known.folders;
    const folders = await this.scopes.listVisible(db, user, module, part);
    this.kept.set(key, { stamp, folders });
    return folders;
  }
}

/** Everything that the answer depends on, beside the folders of the context. */
function keyOf({ contextId, userId, groups, capabilities }: UserPrincipal, part: OwnedFolderListing): string {
  const { below, flat, paths, ids, shared } = part;
  return JSON.stringify([
    contextId,
    userId,
    groups,
    capabilities.includes(SHARE_FOLDERS),
    below,
    flat,
    paths,
    ids,
    shared,
  ]);
}
