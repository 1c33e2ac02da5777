import type { ModuleDatabase } from './module-database';

/** Tables below this many pages have no statistics worth taking. */
const SMALL_PAGES = 4;

const GROWN = `select quote_ident(c.relname) from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and pg_relation_size(c.oid) > 2 * greatest(c.relpages, $1) * current_setting('block_size')::bigint
  order by 1`;

/**
 * Takes statistics of the tables of a module that became twice as large since Postgres last did. Plans are kept until then, and
 * one that was made while a table was empty may read all rows of a context where it could look up one: every index begins
 * with the context, and without rows all of them seem to cost the same. Postgres' own worker comes once a minute, in which
 * an import brings thousands of rows.
 * @returns names of these tables
 */
export async function analyzeGrown(database: ModuleDatabase): Promise<string[]> {
  const analyzed: string[] = [];
  for (const shard of await database.shardNames())
    await database.onShard(
      shard,
      async (db) => {
        const names = (await db.rows(GROWN, SMALL_PAGES)).map(([name]) => name as string);
        // Whoever analyzes a table already, or changes it, does it for us.
        if (names.length > 0) await db.run(`analyze (skip_locked) ${names.join(', ')}`);
        analyzed.push(...names);
      },
      { durable: false },
    );
  return analyzed;
}
