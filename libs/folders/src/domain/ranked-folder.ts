import type { RankedFolder } from '../folder-module';
import { resolveRights } from '../folder-view';
import type { FolderUser, SeenFolder, StoredFolder } from '../stored-folder';
import { parseRights, RANK } from './rights';

/** A folder with what a user may do to its objects. */
export function toRankedFolder(folder: SeenFolder, user: FolderUser): RankedFolder {
  const { remove, read } = parseRights(resolveRights(folder, user));
  return { folder, rank: remove, readRank: read, isOwn: folder.type === 1 && folder.createdBy === user.userId };
}

/** A folder that goes with every object in it. */
export const withoutLimits = (folder: StoredFolder): RankedFolder => ({
  folder,
  rank: RANK.max,
  readRank: RANK.max,
  isOwn: true,
});

/** True when every object of the folder may be deleted, private ones included. */
export const isUnlimited = ({ rank, readRank, isOwn }: RankedFolder): boolean =>
  isOwn && rank >= RANK.all && readRank >= RANK.all;
