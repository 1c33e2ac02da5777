import type { FolderCounts } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import type { CountedFolder, RankedFolder } from '../folder-module';

/**
 * Ids of the folders that hold an object which a user may not delete.
 * @param holds condition on a folder `x (id, rank)` for the user `$2`
 * @param values further parameters of the condition, from `$5` on
 */
export async function listUndeletableFolders(
  db: Reader,
  folders: readonly RankedFolder[],
  userId: number,
  holds: string,
  ...values: readonly unknown[]
): Promise<ReadonlySet<number>> {
  const rows = await db.rows(
    `select x.id from unnest($3::int[], $4::int[]) as x (id, rank) where ${holds}`,
    userId,
    folders.map(({ folder }) => folder.id),
    folders.map(({ rank }) => rank),
    ...values,
  );
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
