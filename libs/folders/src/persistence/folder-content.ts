import type { FolderCounts } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import type { CountedFolder, RankedFolder } from '../folder-module';

/** The relation `x (id, rank, read_rank, is_own)` of folders; takes the values of {@link rankedValues} as `$2` to `$6`. */
export const RANKED_FOLDERS = 'unnest($3::int[], $4::int[], $5::int[], $6::bool[]) as x (id, rank, read_rank, is_own)';

/** The user and the folders of {@link RANKED_FOLDERS}. */
export const rankedValues = (userId: number, folders: readonly RankedFolder[]): readonly unknown[] => [
  userId,
  folders.map(({ folder }) => folder.id),
  folders.map(({ rank }) => rank),
  folders.map(({ readRank }) => readRank),
  folders.map(({ isOwn }) => isOwn),
];

/** SQL: a rank of folder `x` covers the objects of a creator, for the user `$2`. */
export const coversCreator = (rank: 'rank' | 'read_rank', creator: string): string =>
  `(x.${rank} > 1 or x.${rank} = 1 and ${creator} = $2)`;

/**
 * Ids of the folders that hold an object which a user may not delete.
 * @param holds condition on a folder of {@link RANKED_FOLDERS}
 */
export async function listUndeletableFolders(
  db: Reader,
  folders: readonly RankedFolder[],
  userId: number,
  holds: string,
): Promise<ReadonlySet<number>> {
  const rows = await db.rows(`select x.id from ${RANKED_FOLDERS} where ${holds}`, ...rankedValues(userId, folders));
  return new Set((rows as [number][]).map(([id]) => id));
}

/**
 * Counts the objects that a user may read, by folder; folders in which the user reads nothing are left out.
 * @param count number of objects of a folder `x (id, rank)` for the user `$2`
 */
export async function countReadableObjects(
  db: Reader,
  folders: readonly CountedFolder[],
  userId: number,
  count: string,
): Promise<Map<number, FolderCounts>> {
  const readable = folders.filter(({ rank }) => rank > 0);
  const rows = await db.rows(
    `select x.id, ${count} from unnest($3::int[], $4::int[]) as x (id, rank)`,
    userId,
    readable.map(({ id }) => id),
    readable.map(({ rank }) => rank),
  );
  return new Map((rows as [number, number][]).map(([id, total]) => [id, { total }]));
}
