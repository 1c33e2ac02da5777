import { connectTo, nameOf, removeRows, tablesOf } from './context-move';
import type { Shard } from './shard';

/** Schemas of modules that still hold rows of a context on a shard; `exceptSchemas` are not looked at. */
export function schemasWithRows(shard: Shard, contextId: number, exceptSchemas: readonly string[]): Promise<string[]> {
  return connectTo(shard, async (client) => {
    const tables = await tablesOf(client, { exceptSchemas });
    if (tables.length === 0) return [];
    const questions = tables.map(
      (table, index) =>
        `select $${index + 2}::text as schema where exists (select from ${nameOf(table)} where context_id = $1)`,
    );
    const { rows } = await client.query<{ schema: string }>(questions.join(' union '), [
      contextId,
      ...tables.map(({ schema }) => schema),
    ]);
    return rows.map(({ schema }) => schema).sort();
  });
}

/** Removes what modules noted of calls of a context for their idempotency keys; `exceptSchemas` keep theirs until they expire. */
export function removeCallNotes(shard: Shard, contextId: number, exceptSchemas: readonly string[]): Promise<void> {
  return connectTo(shard, async (client) => {
    const notes = (await tablesOf(client, { exceptSchemas })).filter(({ name }) => name === 'call_key');
    await removeRows(client, notes, contextId);
  });
}
