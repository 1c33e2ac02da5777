import type { ModuleDatabase } from './module-database';
import type { AdministrationTransaction } from './reader';

/** A column of sealed texts, and the way to seal them again. */
export interface SealedColumn<Row extends object = object> {
  readonly table: string;
  readonly column: string;
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** Further columns that tell who owns a text. */
  readonly others?: readonly string[];
  /** The text as the newest key seals it: the same one where it does, undefined where no key opens it. */
  reseal(sealed: string, row: Row): string | undefined;
}

/** What sealing again did. */
export interface ResealingCounts {
  checked: number;
  resealed: number;
  unreadable: number;
}

/** Rows handled in one transaction. */
const BATCH = 500;

/**
 * Seals texts at rest with the newest key, in all contexts of all shards, so that older keys can be removed from the settings.
 * It may be interrupted: the next run goes on with what is left.
 */
export async function resealColumns(
  database: ModuleDatabase,
  columns: readonly SealedColumn[],
  signal: AbortSignal,
): Promise<ResealingCounts> {
  const counts = { checked: 0, resealed: 0, unreadable: 0 };
  for (const shard of await database.shardNames())
    for (const column of columns) {
      let last: readonly unknown[] | undefined = [];
      while (last && !signal.aborted) {
        const after: readonly unknown[] = last;
        last = await database.onShard(shard, 'a new key seals what is sealed at rest, in all contexts', (db) =>
          resealBatch(db, column, after, counts),
        );
      }
    }
  return counts;
}

/** Seals the next rows; answers the key of the last one. @param after key of the row before; empty for the first ones */
async function resealBatch(
  db: AdministrationTransaction,
  sealedColumn: SealedColumn,
  after: readonly unknown[],
  counts: ResealingCounts,
): Promise<readonly unknown[] | undefined> {
  const { table, column, key, others = [] } = sealedColumn;
  const places = key.map((_name, index) => `$${index + 1}`).join(', ');
  const rows = await db.objects<Record<string, unknown>>(
    `select ${[...new Set([...key, column, ...others])].join(', ')} from ${table}
     where ${column} is not null ${after.length > 0 ? `and (${key.join(', ')}) > (${places})` : ''}
     order by ${key.join(', ')} limit ${BATCH} for update`,
    ...after,
  );
  for (const row of rows) {
    const sealed = String(row[column]);
    counts.checked++;
    const again = sealedColumn.reseal(sealed, row);
    if (again === undefined) counts.unreadable++;
    if (again === undefined || again === sealed) continue;
    counts.resealed++;
    await db.run(
      `update ${table} set ${column} = $${key.length + 1} where (${key.join(', ')}) = (${places})`,
      ...key.map((name) => row[name]),
      again,
    );
  }
  const last = rows.at(-1);
  return last && key.map((name) => last[name]);
}
