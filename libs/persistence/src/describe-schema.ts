import { Client } from 'pg';

interface ColumnRow {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  default: string | null;
}

interface DefinitionRow {
  table: string;
  name: string;
  definition: string;
}

/**
 * The tables of a schema with columns, indexes and constraints as Markdown, in a stable order: for the checked-in
 * `schema.md` of a module.
 */
export async function describeSchema(url: string, schema: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const columns = await client.query<ColumnRow>(
      `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
              not a.attnotnull as nullable,
              case when a.attidentity <> '' then 'identity' when a.attgenerated <> '' then 'generated'
                   else pg_get_expr(d.adbin, d.adrelid) end as default
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migration'
       order by c.relname, a.attnum`,
      [schema],
    );
    const indexes = await client.query<DefinitionRow>(
      `select tablename as table, indexname as name, indexdef as definition from pg_indexes
       where schemaname = $1 and tablename <> 'migration' order by tablename, indexname`,
      [schema],
    );
    const constraints = await client.query<DefinitionRow>(
      `select c.conrelid::regclass::text as table, c.conname as name, pg_get_constraintdef(c.oid) as definition, r.relname
       from pg_constraint c join pg_class r on r.oid = c.conrelid
       where c.connamespace = $1::regnamespace and c.contype in ('f', 'c', 'x') order by r.relname, c.conname`,
      [schema],
    );
    const lines = [`# Schema \`${schema}\``, '', 'Generated from the migrations; do not edit.', ''];
    for (const table of new Set(columns.rows.map((row) => row.table))) {
      lines.push(`## ${table}`, '', '| column | type | null | default |', '| --- | --- | --- | --- |');
      for (const row of columns.rows.filter((candidate) => candidate.table === table))
        lines.push(`| ${row.column} | ${row.type} | ${row.nullable ? 'yes' : 'no'} | ${row.default ?? ''} |`);
      lines.push('');
      const details = [
        ...indexes.rows.filter((row) => row.table === table),
        ...constraints.rows.filter((row) => row.table.replace(/^.*\./, '').replaceAll('"', '') === table),
      ];
      for (const { name, definition } of details)
        lines.push(`- \`${name}\`: \`${definition.replaceAll(`${schema}.`, '')}\``);
      if (details.length > 0) lines.push('');
    }
    return lines.join('\n');
  } finally {
    await client.end();
  }
}
