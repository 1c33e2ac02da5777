import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { singleHostUrl } from './connections/host-finder';
import { withClient } from './connections/with-client';
import { quoteIdentifier } from './database-settings';
import type { MigrationTarget } from './migrate';
import { grantToServices } from './schema-grants';

const run = promisify(execFile);
const MANIFEST = 'manifest.json';
const CONNECTION = { application_name: 'groupware backup' };
/** Bound of the ids that a context may have used since a backup: a number at once, and more for each second. */
const SKIPPED = 100_000;
const SKIPPED_PER_SECOND = 10;

/** Archive of one shard in a backup. */
export interface BackupOfShard {
  readonly shard: string;
  /** Name of the archive of pg_dump in the folder. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly extensions: readonly string[];
  /** Rows by table (`schema.table`), counted in the snapshot of the archive. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Contents of a backup: written last, so that a folder without it is no backup. */
export interface BackupManifest {
  readonly format: 1;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly shards: readonly BackupOfShard[];
}

/** The schemas of an installation on one shard. */
export interface ShardSchemas {
  readonly shard: string;
  readonly targets: readonly MigrationTarget[];
}

/** Folder of pg_dump and pg_restore; default: the PATH. */
export interface BackupPrograms {
  readonly folder?: string;
}

/**
 * Writes the schemas of all shards into a new folder, each shard from one snapshot with the numbers of its rows, reads
 * everything again and compares.
 */
export async function backUp(
  folder: string,
  shards: readonly ShardSchemas[],
  programs: BackupPrograms = {},
): Promise<BackupManifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`);
  const entries: BackupOfShard[] = [];
  for (const [index, each] of shards.entries())
    entries.push(await dumpShard(folder, `shard-${index}.dump`, each, programs));
  const manifest: BackupManifest = { format: 1, createdAt: new Date().toISOString(), shards: entries };
  const draft = path.join(folder, `${MANIFEST}.new`);
  const file = await open(draft, 'wx', 0o600);
  await file.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
  await file.sync();
  await file.close();
  await rename(draft, path.join(folder, MANIFEST));
  return checkBackup(folder, programs);
}

/** Reads a backup and compares each archive with the manifest. @throws what is wrong with it */
export async function checkBackup(folder: string, programs: BackupPrograms = {}): Promise<BackupManifest> {
  const text = await readFile(path.join(folder, MANIFEST), 'utf8').catch(() => {
    throw new Error(`${folder} is no complete backup: it has no ${MANIFEST}`);
  });
  const manifest = JSON.parse(text) as BackupManifest;
  if (manifest.format !== 1) throw new Error(`${folder} has a format that this version does not know`);
  for (const { file, bytes, sha256, rows } of manifest.shards) {
    const archive = path.join(folder, path.basename(file));
    const { size } = await stat(archive);
    if (size !== bytes || (await digestOf(archive)) !== sha256)
      throw new Error(`${file} is not what was written: its size or SHA-256 is another one`);
    const { stdout } = await program(programs, 'pg_restore', ['--list', archive], {});
    const listed = new Set(
      [...stdout.matchAll(/ TABLE DATA (\S+) (\S+) /g)].map(([, schema, table]) => `${schema}.${table}`),
    );
    const missing = Object.keys(rows).filter((table) => !listed.has(table));
    if (missing.length > 0) throw new Error(`${file} lacks ${missing.join(', ')}`);
  }
  return manifest;
}

/**
 * Brings one shard of a checked backup into a database, in one transaction, and counts the rows. Refuses a database that has
 * one of the schemas.
 * @param options.replace drop these schemas first
 */
export async function restoreShard(
  folder: string,
  { entry, createdAt }: { readonly entry: BackupOfShard; readonly createdAt: string },
  { targets }: ShardSchemas,
  { replace = false, programs = {} }: { readonly replace?: boolean; readonly programs?: BackupPrograms } = {},
): Promise<void> {
  const url = await singleHostUrl(targets[0]!.url);
  const schemas = [...new Set(Object.keys(entry.rows).map((table) => table.split('.')[0]!))];
  await withClient(url, CONNECTION, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select nspname as name from pg_namespace where nspname = any($1) order by 1',
      [schemas],
    );
    const present = rows.map(({ name }) => name);
    if (present.length > 0 && !replace)
      throw new Error(
        `the database of the shard ${entry.shard} has already ${present.join(', ')}; only --replace drops them`,
      );
    if (present.length > 0) await client.query(`drop schema ${present.map(quoteIdentifier).join(', ')} cascade`);
    for (const name of entry.extensions)
      await client.query(`create extension if not exists ${quoteIdentifier(name)} with schema public`);
  });
  const options = ['--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction'];
  const { PGDATABASE: database, ...environment } = environmentOf(url);
  await program(
    programs,
    'pg_restore',
    [...options, `--dbname=${database}`, path.join(folder, path.basename(entry.file))],
    environment,
  );
  await withClient(url, CONNECTION, async (client) => {
    const found = await countRows(client, schemas);
    for (const [table, count] of Object.entries(entry.rows))
      if (found[table] !== count)
        throw new Error(`${table} has ${found[table] ?? 'no'} rows on the shard ${entry.shard}, the backup ${count}`);
    await skipUsedNumbers(client, schemas, new Date(createdAt));
    for (const target of targets) if (schemas.includes(target.schema)) await grantToServices(client, target);
    await client.query('analyze');
  });
}

/**
 * Lets counters go on behind what was counted after the backup: clients know objects of that time by their ids, and another
 * object must not get one of them. Their number is unknown, so this is a bound of it.
 */
async function skipUsedNumbers(client: Client, schemas: readonly string[], since: Date): Promise<void> {
  const seconds = Math.max(0, Math.ceil((Date.now() - since.getTime()) / 1_000));
  const skipped = SKIPPED + SKIPPED_PER_SECOND * seconds;
  const { rows: counters } = await client.query<{ schema: string; name: string; column: string }>(
    `select c.table_schema as schema, c.table_name as name, c.column_name as column from information_schema.columns c
     join pg_tables t on t.schemaname = c.table_schema and t.tablename = c.table_name
     where c.table_schema = any($1) and c.column_name ~ '^next_(\\w+_)?(id|number)$'`,
    [schemas],
  );
  for (const { schema, name, column } of counters)
    await client.query(
      `update ${quoteIdentifier(schema)}.${quoteIdentifier(name)} set ${quoteIdentifier(column)} = ${quoteIdentifier(column)} + $1`,
      [skipped],
    );
  await client.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, start_value) + $2)
     from pg_sequences where schemaname = any($1)`,
    [schemas, skipped],
  );
}

async function dumpShard(
  folder: string,
  file: string,
  { shard, targets }: ShardSchemas,
  programs: BackupPrograms,
): Promise<BackupOfShard> {
  const url = await singleHostUrl(targets[0]!.url);
  const archive = path.join(folder, file);
  // pg_dump would let all accounts of the machine read it.
  await (await open(archive, 'wx', 0o600)).close();
  const content = await withClient(url, CONNECTION, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    const { rows: found } = await client.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot');
    const { rows: present } = await client.query<{ name: string }>(
      'select nspname as name from pg_namespace where nspname = any($1) order by 1',
      [targets.map(({ schema }) => schema)],
    );
    const schemas = present.map(({ name }) => name);
    if (schemas.length === 0) throw new Error(`the shard ${shard} holds nothing of this product`);
    const rows = await countRows(client, schemas);
    const { rows: extensions } = await client.query<{ name: string }>(
      `select extname as name from pg_extension where extname <> 'plpgsql' order by 1`,
    );
    await program(
      programs,
      'pg_dump',
      [
        '--format=custom',
        '--no-owner',
        '--no-privileges',
        `--snapshot=${found[0]!.snapshot}`,
        ...schemas.map((schema) => `--schema=${schema}`),
        `--file=${archive}`,
      ],
      environmentOf(url),
    );
    return { rows, extensions: extensions.map(({ name }) => name) };
  });
  const written = await open(archive, 'r+');
  await written.sync();
  const { size } = await written.stat();
  await written.close();
  return { shard, file, bytes: size, sha256: await digestOf(archive), ...content };
}

async function countRows(client: Client, schemas: readonly string[]): Promise<Record<string, number>> {
  const { rows: tables } = await client.query<{ schema: string; name: string }>(
    'select schemaname as schema, tablename as name from pg_tables where schemaname = any($1) order by 1, 2',
    [schemas],
  );
  const counts: Record<string, number> = {};
  for (const { schema, name } of tables) {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from ${quoteIdentifier(schema)}.${quoteIdentifier(name)}`,
    );
    counts[`${schema}.${name}`] = Number(rows[0]!.count);
  }
  return counts;
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Parts of an address as libpq reads them: on the command line all accounts would see the password. */
function environmentOf(address: string): Record<string, string> {
  const url = new URL(address);
  const ssl = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'].flatMap((name) => {
    const value = url.searchParams.get(name);
    return value ? [[`PG${name.toUpperCase()}`, value]] : [];
  });
  return {
    PGHOST: url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[|\]$/g, ''),
    PGPORT: url.port || '5432',
    PGUSER: decodeURIComponent(url.username),
    ...(url.password ? { PGPASSWORD: decodeURIComponent(url.password) } : {}),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username),
    ...(Object.fromEntries(ssl) as Record<string, string>),
  };
}

/** Runs a program of Postgres; its message is the error. */
async function program(
  { folder }: BackupPrograms,
  name: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<{ stdout: string }> {
  const file = folder ? path.join(folder, name) : name;
  try {
    // Nothing of our own environment: it holds secrets, and settings that libpq would follow.
    return await run(file, [...args], { env: { PATH: SEARCH_PATH, LC_ALL: 'C', ...environment }, maxBuffer: 2 ** 28 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(`${name} was not found: install the client programs of PostgreSQL, or name their folder`, {
        cause: error,
      });
    const { stderr } = error as { stderr?: string };
    throw new Error(`${name}: ${stderr?.trim() || (error as Error).message}`, { cause: error });
  }
}

const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';
