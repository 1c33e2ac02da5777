import { createHash, randomBytes } from 'node:crypto';
import { migrate, ModuleDatabase, schemaOf, ShardRegistry, type MigrationClass } from '@groupware/persistence';
import { Client } from 'pg';
import { dropDatabases } from './drop-databases';
import { postgresUrl } from './test-servers';

/** Migrations by module. */
export type ModuleMigrations = Readonly<Record<string, readonly MigrationClass[]>>;

/** A database of its own for one test file. */
export interface TestDatabase {
  readonly url: string;
  readonly registry: ShardRegistry;
  /** The data of a module, migrated. Closed together with the database. */
  of(module: string): Promise<ModuleDatabase>;
  /** Closes connections and drops the database. */
  close(): Promise<void>;
}

const TEMPLATE = 'groupware_template_';
const CLONE = 'groupware_test_';
const KEEP_MS = 24 * 3_600_000;

/**
 * Makes a database with the schemas of the given modules. The first caller builds a template, the others copy it, so a
 * test file waits some ten milliseconds; safe for any number of workers. Templates that crashed runs left behind are
 * removed after a day.
 */
export const createDatabase = (name: string, modules: ModuleMigrations): Promise<void> =>
  administer(async (client) => {
    const template = await templateFor(client, modules);
    await client.query(`create database ${name} template ${template}`);
  });

/**
 * Makes a database with the schemas of the given modules and opens it ({@link createDatabase}).
 * @example const db = await testDatabase({ calendar: calendarMigrations }); const database = await db.of('calendar');
 */
export async function testDatabase(modules: ModuleMigrations): Promise<TestDatabase> {
  const name = `${CLONE}${Date.now()}_${randomBytes(4).toString('hex')}`;
  await createDatabase(name, modules);
  const url = urlOf(name);
  const registry = await ShardRegistry.open({ url });
  const open = new Map<string, Promise<ModuleDatabase>>();
  return {
    url,
    registry,
    of: (module) => {
      const migrations = modules[module];
      if (!migrations) throw new Error(`the test database has no migrations of '${module}'`);
      let database = open.get(module);
      if (!database) {
        // Several files run at once on one server with few connections.
        database = ModuleDatabase.open({ module, registry, settings: { url, poolSize: 4 }, migrations });
        open.set(module, database);
      }
      return database;
    },
    close: async () => {
      for (const database of open.values()) await (await database).close();
      await registry.close();
      await dropDatabases(name);
    },
  };
}

const urlOf = (database: string): string => Object.assign(new URL(postgresUrl()), { pathname: `/${database}` }).href;

async function administer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function templateFor(client: Client, modules: ModuleMigrations): Promise<string> {
  const hash = createHash('sha256');
  for (const [module, migrations] of Object.entries(modules).sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\n${module}`);
    // The text of the class: an edited migration must not be hidden by a template of yesterday.
    for (const migration of migrations) hash.update(`\n${migration.name}\n${migration.toString()}`);
  }
  const name = `${TEMPLATE}${hash.digest('hex').slice(0, 20)}`;
  // Held until this connection ends, so that no copy meets a template under construction.
  await client.query(`select pg_advisory_lock(hashtextextended($1, 0))`, [name]);
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount) return name;
  await removeLeftovers(client);
  const building = `${name}_building`;
  await dropDatabases(building);
  await client.query(`create database ${building}`);
  const url = urlOf(building);
  for (const [module, migrations] of Object.entries(modules))
    await migrate({ url, schema: schemaOf(module), migrations });
  await (await ShardRegistry.open({ url })).close();
  await client.query(`alter database ${building} rename to ${name}`);
  await client.query(`comment on database ${name} is '${Date.now()}'`);
  return name;
}

async function removeLeftovers(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; made: string | null }>(
    `select datname as name, coalesce(substring(datname from '^${CLONE}(\\d+)'), shobj_description(oid, 'pg_database')) as made
     from pg_database where datname ~ '^(${CLONE}|${TEMPLATE})'`,
  );
  for (const { name, made } of rows) {
    if (!made || Number(made) > Date.now() - KEEP_MS) continue;
    // Another process may be at the same work, or a forgotten test may still run.
    await client.query(`drop database if exists ${name}`).catch(() => undefined);
  }
}
