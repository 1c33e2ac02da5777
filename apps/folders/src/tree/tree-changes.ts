import type { LostPlace } from '../owners/owners';
import type { FolderTree } from './folder-tree';
import { toSharedParentId } from '../domain/system-folders';
import { FOLDER_TYPE, type TreeFolder } from '../domain/tree-folder';

/** Changes below a folder. */
export interface TreeChanges {
  readonly changed: readonly TreeFolder[];
  /** Ids of removed or invisible folders. */
  readonly gone: readonly string[];
}

/**
 * Finds changes below a folder since a stamp. A folder also counts as changed when its parent became visible or
 * invisible, which moves it. `shown` filters the folders the client lists.
 */
export function findChangesBelow(
  tree: FolderTree,
  parent: string,
  since: number,
  lost: readonly LostPlace[],
  shown: (folder: TreeFolder) => boolean,
): TreeChanges {
  const lostAt = new Map<string, number>();
  for (const { id, stamp } of lost) lostAt.set(String(id), Math.max(stamp, lostAt.get(String(id)) ?? 0));
  const changeOf = (folder: TreeFolder): number => {
    if (folder.type === FOLDER_TYPE.system)
      return tree.listChildren(folder.id).reduce((newest, child) => Math.max(newest, changeOf(child)), folder.changed);
    const above = folder.above === undefined ? undefined : tree.findFolder(folder.above);
    const moved = above && above.type !== FOLDER_TYPE.system ? above.changed : lostAt.get(folder.above ?? '');
    return Math.max(folder.changed, moved ?? 0);
  };

  const here = tree.listChildren(parent);
  const changed = here.filter((folder) => isFollowed(folder, parent) && changeOf(folder) > since);
  const kept = new Set(here.filter(shown).map(({ id }) => id));
  const gone = new Set(changed.filter((folder) => !shown(folder)).map(({ id }) => id));
  for (const place of lost) {
    const top = tree.resolveTop(place);
    if (String(place.parent) === parent || top === parent) gone.add(String(place.id));
    // With the last shared folder of a user his virtual folder is gone, too.
    if (parent === '3' && top === toSharedParentId(place.createdBy)) gone.add(top);
  }
  // Folders that stood at the root until their parent became visible.
  for (const folder of tree.storedFolders)
    if (
      folder.parent !== parent &&
      tree.resolveTop({ type: toStoredType(folder), createdBy: folder.createdBy }) === parent
    )
      if ((tree.findFolder(folder.parent)?.changed ?? 0) > since) gone.add(folder.id);
  return { changed: changed.filter(shown), gone: [...gone].filter((id) => !kept.has(id)) };
}

/** System folders never change, except virtual folders of sharing users. */
const isFollowed = (folder: TreeFolder, parent: string): boolean =>
  folder.type !== FOLDER_TYPE.system || parent === '3';

const toStoredType = ({ type }: TreeFolder): 1 | 2 => (type === FOLDER_TYPE.public ? 2 : 1);
