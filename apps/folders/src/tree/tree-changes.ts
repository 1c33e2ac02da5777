import type { LostPlace } from '../owners/owners';
import type { FolderTree } from './folder-tree';
import { parseSharedParentId } from '../domain/system-folders';
import { FOLDER_TYPE, type TreeFolder } from '../domain/tree-folder';

/** Changes in a tree or below a folder. */
export interface TreeChanges {
  readonly changed: readonly TreeFolder[];
  /** Ids of removed or invisible folders. */
  readonly gone: readonly string[];
}

/**
 * Finds changes since a stamp, in the whole tree or below a folder: rows are those of the folders below it, ids those of
 * all folders that are gone, and of those that left it. A folder also counts as changed when its parent became visible
 * or invisible, which moves it, and when a folder was made below it.
 * @param tree what changed since; its owner counts the coming and going of parents of its own
 * @param shown filters the folders the client lists
 */
export function findChanges(
  tree: FolderTree,
  parent: string | undefined,
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
    const own = Math.max(folder.changed, moved ?? 0);
    return tree.listChildren(folder.id).reduce((newest, { created }) => Math.max(newest, created), own);
  };

  const listed = parent === undefined ? [...tree.storedFolders, ...tree.listChildren('3')] : tree.listChildren(parent);
  const changed = listed.filter((folder) => isFollowed(folder, parent) && changeOf(folder) > since);
  const rows = changed.filter(shown);
  const kept = new Set(rows.map(({ id }) => id));
  const gone = new Set(changed.filter((folder) => !shown(folder)).map(({ id }) => id));
  for (const place of lost) {
    const top = tree.resolveTop(place);
    const left = parent !== undefined && (String(place.parent) === parent || top === parent);
    if (!place.isVisible || left) gone.add(String(place.id));
    // With the last shared folder of a user his virtual folder is gone, too.
    const isListed = parent === undefined || parent === '3';
    if (isListed && parseSharedParentId(top) !== undefined && !tree.findFolder(top)) gone.add(top);
  }
  // Folders that stood at the root until their parent became visible.
  if (parent !== undefined)
    for (const folder of tree.storedFolders)
      if (folder.place && folder.parent !== parent && tree.resolveTop(folder.place) === parent)
        if ((tree.findFolder(folder.parent)?.changed ?? 0) > since) gone.add(folder.id);
  return { changed: rows, gone: [...gone].filter((id) => !kept.has(id)) };
}

/** System folders never change, except virtual folders of sharing users. */
const isFollowed = (folder: TreeFolder, parent: string | undefined): boolean =>
  folder.type !== FOLDER_TYPE.system || parent === '3' || parent === undefined;
