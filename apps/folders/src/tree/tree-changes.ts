import type { LostPlace } from '../owners';
import type { FolderTree } from './folder-tree';
import { sharedParentOf } from './system-folders';
import { FOLDER_TYPE, type TreeFolder } from './tree-folder';

/** What changed below one folder. */
export interface TreeChanges {
  readonly changed: readonly TreeFolder[];
  /** Ids of folders that are not, or no longer, there. */
  readonly gone: readonly string[];
}

/**
 * What changed below a folder since a stamp. A folder also counts as changed when the one above it came into sight or went
 * out of it, because that moves the folder. `shown` says which folders the client lists at all.
 */
export function changesBelow(
  tree: FolderTree,
  parent: string,
  since: number,
  lost: readonly LostPlace[],
  shown: (folder: TreeFolder) => boolean,
): TreeChanges {
  const lostAt = new Map<number, number>();
  for (const { id, stamp } of lost) lostAt.set(id, Math.max(stamp, lostAt.get(id) ?? 0));
  const changeOf = (folder: TreeFolder): number => {
    if (folder.type === FOLDER_TYPE.system)
      return tree.below(folder.id).reduce((newest, child) => Math.max(newest, changeOf(child)), folder.changed);
    const above = tree.find(String(folder.above));
    const moved = above && above.type !== FOLDER_TYPE.system ? above.changed : lostAt.get(folder.above ?? 0);
    return Math.max(folder.changed, moved ?? 0);
  };

  const here = tree.below(parent);
  const changed = here.filter((folder) => isFollowed(folder, parent) && changeOf(folder) > since);
  const kept = new Set(here.filter(shown).map(({ id }) => id));
  const gone = new Set(changed.filter((folder) => !shown(folder)).map(({ id }) => id));
  for (const place of lost) {
    const top = tree.topOf(place);
    if (String(place.parent) === parent || top === parent) gone.add(String(place.id));
    // The last folder of somebody who shares: he is no longer there either.
    if (parent === '3' && top === sharedParentOf(place.createdBy)) gone.add(top);
  }
  // Folders that stood at the top until the folder above them came into sight.
  for (const folder of tree.own)
    if (folder.parent !== parent && tree.topOf({ type: storedType(folder), createdBy: folder.createdBy }) === parent)
      if ((tree.find(folder.parent)?.changed ?? 0) > since) gone.add(folder.id);
  return { changed: changed.filter(shown), gone: [...gone].filter((id) => !kept.has(id)) };
}

/** System folders never change, except those that stand for users who share. */
const isFollowed = (folder: TreeFolder, parent: string): boolean =>
  folder.type !== FOLDER_TYPE.system || parent === '3';

const storedType = ({ type }: TreeFolder): 1 | 2 => (type === FOLDER_TYPE.public ? 2 : 1);
