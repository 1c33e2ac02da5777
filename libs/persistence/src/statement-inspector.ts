import type { SchemaConnection } from './connections/schema-connection';

/** The tables and views of a schema, by name. */
export type SchemaTables = ReadonlyMap<
  string,
  { readonly columns: readonly string[]; readonly constraints: Readonly<Record<string, readonly string[]>> }
>;

/** Judges the statements that a test sends, before they are sent. Jest's environment brings it (tools/tenancy). */
export interface StatementInspector {
  load(): Promise<void>;
  /** @throws when a statement of one context may touch rows of another */
  inspect(sql: string, reach: Reach, tables: SchemaTables): void;
}

export type Reach = 'of one context' | 'across contexts';

/** Judges a statement of a known schema; undefined: as it comes. */
export type InspectStatement = ((sql: string, reach: Reach) => void) | undefined;

/** Judges statements of the schema of a connection: in tests only. */
export async function inspectionOf(connection: SchemaConnection): Promise<InspectStatement> {
  const { groupwareStatements: inspector } = globalThis as { groupwareStatements?: StatementInspector };
  if (!inspector) return undefined;
  await inspector.load();
  const tables = await tablesOf(connection);
  return (sql, reach) => inspector.inspect(sql, reach, tables);
}

/** The tables and views of the schema of a connection. */
async function tablesOf(connection: SchemaConnection): Promise<SchemaTables> {
  const { rows } = await connection.query(
    'rows',
    `with described as (
       select c.oid, c.relname::text as name, json_agg(a.attname order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm') group by c.oid)
     select name, columns, (
       select coalesce(json_object_agg(k.conname, (
         select json_agg(a.attname) from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey))), '{}')
       from pg_constraint k where k.conrelid = described.oid and k.contype in ('p', 'u'))
     from described`,
    [],
  );
  return new Map(
    (rows as [string, string[], Record<string, string[]>][]).map(([name, columns, constraints]) => [
      name,
      { columns, constraints },
    ]),
  );
}
