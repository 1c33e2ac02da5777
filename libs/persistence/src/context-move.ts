import type { Client } from 'pg';
import { withClient } from './connections/with-client';
import { quoteIdentifier } from './database-settings';
import type { Shard } from './shard';
import type { ShardRegistry } from './shard-registry';

/** Schemas that stay where they are, and tables that belong to the place and not to a context. */
const OWN_SCHEMAS = ['registry', 'information_schema', 'pg_catalog', 'pg_toast', 'public'];
const OWN_TABLES = ['outbox', 'sent_event', 'consumed_event', 'migration'];
/** Rows copied at once. */
const BATCH = 500;
const POLL_MS = 200;
/** Longest wait for transactions and events that were under way. */
const QUIET_WITHIN_MS = 120_000;
/** A message may come again for so long after it was consumed; notes about older ones need not move. */
const CONSUMED_WITHIN_MS = 3_600_000;

/** Order to move a context. */
export interface ContextMoveOrder {
  readonly registry: ShardRegistry;
  readonly contextId: number;
  /** Name of the shard it leaves, as it was before the first try. */
  readonly from: string;
  /** Name of the shard it goes to. */
  readonly to: string;
  /** Schemas of modules whose data stays on the default shard. */
  readonly exceptSchemas: readonly string[];
  /** Told between the steps, with the share that is done; throws to end the move, which leaves the context where it was. */
  readonly onProgress?: (share: number) => Promise<void>;
}

interface Table {
  readonly schema: string;
  readonly name: string;
  /** Columns that can be written. */
  readonly columns: readonly string[];
  /** Columns that count by themselves. */
  readonly identities: readonly string[];
}

/** Name of a table in SQL. */
export const nameOf = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
/** How the server shows connections that move a context. */
const MOVE_NAME = 'groupware move of a context';
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/**
 * Moves all rows of a context, of every module, to another shard. First no caller finds the context any more; then calls that
 * still work with it end; then the rows are copied in one transaction, the context is found at its new place, and the
 * old rows go. May be repeated after an interruption at any point.
 * @returns the number of rows moved
 */
export async function moveContext(order: ContextMoveOrder): Promise<number> {
  const target = await order.registry.shardNamed(order.to);
  return connectTo(target, async (lock) => {
    // Held by a transaction: one process at a time, a dead one does not keep it, and poolers know transactions.
    await lock.query('begin');
    await lock.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`groupware move ${order.contextId}`]);
    const moved = await connectTo(target, (destination) => move(order, destination));
    await lock.query('commit');
    return moved;
  });
}

async function move(order: ContextMoveOrder, destination: Client): Promise<number> {
  const { registry, contextId, to, onProgress } = order;
  const from = await registry.beginMove(contextId, to);
  let moved = 0;
  if (from.name !== to)
    try {
      await pause(registry.leaseMs);
      moved = await connectTo(from, async (source) => {
        await quiet(source, contextId);
        await onProgress?.(0.1);
        return copy(order, source, destination);
      });
    } catch (error) {
      await registry.endMove(contextId, false);
      throw error;
    }
  if (!(await registry.endMove(contextId, true))) throw new Error('the move was ended by somebody else');
  const left = await registry.shardNamed(order.from);
  await connectTo(left, async (source) => removeRows(source, await tablesOf(source, order), contextId));
  return moved;
}

/** Runs work on a shard with a connection of its own. */
export const connectTo = <T>({ url }: Shard, work: (client: Client) => Promise<T>): Promise<T> =>
  withClient(url, { application_name: MOVE_NAME, connectionTimeoutMillis: 5_000 }, work);

/** Waits for transactions that began before, and for events of the context to be sent: their effects belong to its data. */
async function quiet(source: Client, contextId: number): Promise<void> {
  const end = Date.now() + QUIET_WITHIN_MS;
  const { rows: schemas } = await source.query<{ schema: string }>(
    `select table_schema as schema from information_schema.tables where table_name = 'outbox'`,
  );
  const { rows: now } = await source.query<{ now: string }>('select clock_timestamp()::text as now');
  for (;;) {
    const { rows: running } = await source.query(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and xact_start < $1::timestamptz
         and backend_type = 'client backend' and application_name <> $2 limit 1`,
      // Moves of other contexts, which hold a transaction as long as they last.
      [now[0]!.now, MOVE_NAME],
    );
    let waiting = running.length > 0;
    for (const { schema } of schemas) {
      if (waiting) break;
      const { rows } = await source.query(
        `select from ${quoteIdentifier(schema)}.outbox where context_id = $1 limit 1`,
        [contextId],
      );
      waiting = rows.length > 0;
    }
    if (!waiting) return;
    if (Date.now() > end) throw new Error('the old shard does not come to rest');
    await pause(POLL_MS);
  }
}

/** Tables with a context, those that others refer to first. */
export async function tablesOf(
  client: Client,
  { exceptSchemas }: Pick<ContextMoveOrder, 'exceptSchemas'>,
): Promise<Table[]> {
  const { rows } = await client.query<Table & { columns: string[]; identities: string[] }>(
    `select c.table_schema as schema, c.table_name as name,
       array_agg(c.column_name::text order by c.ordinal_position) filter (where c.is_generated = 'NEVER') as columns,
       coalesce(array_agg(c.column_name::text) filter (where c.is_identity = 'YES'), '{}') as identities
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where t.table_type = 'BASE TABLE' and c.table_schema <> all ($1::text[]) and c.table_name <> all ($2::text[])
     group by 1, 2 having bool_or(c.column_name = 'context_id') order by 1, 2`,
    [[...OWN_SCHEMAS, ...exceptSchemas], OWN_TABLES],
  );
  const { rows: references } = await client.query<{ child: string; parent: string }>(
    `select format('%I.%I', cn.nspname, c.relname) as child, format('%I.%I', pn.nspname, p.relname) as parent
     from pg_constraint k
       join pg_class c on c.oid = k.conrelid join pg_namespace cn on cn.oid = c.relnamespace
       join pg_class p on p.oid = k.confrelid join pg_namespace pn on pn.oid = p.relnamespace
     where k.contype = 'f' and k.conrelid <> k.confrelid`,
  );
  const plain = ({ schema, name }: Table): string => `${schema}.${name}`;
  const done = new Set<string>();
  const ordered: Table[] = [];
  const visit = (table: Table): void => {
    if (done.has(plain(table))) return;
    done.add(plain(table));
    for (const { child, parent } of references)
      if (child.replaceAll('"', '') === plain(table)) {
        const found = rows.find((candidate) => plain(candidate) === parent.replaceAll('"', ''));
        if (found) visit(found);
      }
    ordered.push(table);
  };
  rows.forEach(visit);
  return ordered;
}

async function copy(order: ContextMoveOrder, source: Client, destination: Client): Promise<number> {
  const { contextId, onProgress } = order;
  const tables = await tablesOf(source, order);
  const known = await tablesOf(destination, order);
  await source.query('begin isolation level repeatable read');
  await destination.query('begin');
  let moved = 0;
  // Rows that an interrupted move left behind go first.
  await removeRows(destination, known, contextId);
  for (const [index, table] of tables.entries()) {
    const same = known.find((candidate) => nameOf(candidate) === nameOf(table));
    const rows = await copyTable(table, same, { source, destination, contextId });
    moved += rows;
    await onProgress?.(0.1 + (0.8 * (index + 1)) / tables.length);
  }
  await copyConsumed(source, destination, order);
  await destination.query('commit');
  await source.query('commit');
  return moved;
}

interface Both {
  readonly source: Client;
  readonly destination: Client;
  readonly contextId: number;
}

async function copyTable(table: Table, same: Table | undefined, both: Both): Promise<number> {
  const { source, destination, contextId } = both;
  const name = nameOf(table);
  await source.query(
    `declare moved cursor for select row_to_json(t)::text as row from ${name} t where context_id = ${contextId}`,
  );
  let copied = 0;
  const columns = table.columns.map(quoteIdentifier).join(', ');
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`fetch ${BATCH} from moved`);
    if (rows.length === 0) break;
    if (same?.columns.join() !== table.columns.join())
      throw new Error(`the table ${name} is not the same in both shards: no service has prepared the new one yet`);
    const inserted = await destination.query(
      `insert into ${name} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${name}, $1)`,
      [`[${rows.map(({ row }) => row).join()}]`],
    );
    copied += inserted.rowCount ?? 0;
  }
  await source.query('close moved');
  if (copied > 0)
    for (const column of table.identities)
      await destination.query(
        `select setval(pg_get_serial_sequence($1, $2),
           greatest((select max(${quoteIdentifier(column)}) from ${name}), nextval(pg_get_serial_sequence($1, $2))))`,
        [name, column],
      );
  return copied;
}

/** Notes about events that may be delivered again. They name no context, so all recent ones go along. */
async function copyConsumed(source: Client, destination: Client, order: ContextMoveOrder): Promise<void> {
  const { rows: schemas } = await source.query<{ schema: string }>(
    `select table_schema as schema from information_schema.tables
     where table_name = 'consumed_event' and table_schema <> all ($1::text[])`,
    [order.exceptSchemas],
  );
  for (const { schema } of schemas) {
    const table = `${quoteIdentifier(schema)}.consumed_event`;
    const { rows: exists } = await destination.query('select from pg_tables where schemaname = $1 and tablename = $2', [
      schema,
      'consumed_event',
    ]);
    if (exists.length === 0) continue;
    await source.query(
      `declare consumed cursor for select consumer, message_id, consumed_at from ${table}
       where consumed_at > ${Date.now() - CONSUMED_WITHIN_MS}`,
    );
    for (;;) {
      const { rows } = await source.query(`fetch ${BATCH} from consumed`);
      if (rows.length === 0) break;
      await destination.query(
        `insert into ${table} select * from json_populate_recordset(null::${table}, $1) on conflict do nothing`,
        [JSON.stringify(rows)],
      );
    }
    await source.query('close consumed');
  }
}

/** Deletes the rows of a context, children before parents. */
export async function removeRows(client: Client, tables: readonly Table[], contextId: number): Promise<void> {
  for (const table of [...tables].reverse())
    await client.query(`delete from ${nameOf(table)} where context_id = $1`, [contextId]);
}
