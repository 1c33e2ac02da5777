import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { singleHostUrl } from './connections/host-finder';
import { withClient } from './connections/with-client';
import { quoteIdentifier } from './database-settings';
import { kitMigrations } from './kit-migrations';
import { timeOfMigration, type MigrationClass } from './migration';
import { DirectRunner, RecordingRunner } from './migration-runner';
import { grantToServices } from './schema-grants';
import { silentLogger } from './silent-logger';

/** Default of {@link MigrationTarget.lockTimeoutMs}. */
export const MIGRATION_LOCK_TIMEOUT_MS = 5 * 60_000;

/** Pause between two tries to get a lock, ms. Tries, not one long wait: a waiting statement would hold up `create index concurrently`. */
const LOCK_RETRY_MS = 200;

/** Interval of reports about the wait, ms. */
const REPORT_EVERY_MS = 5_000;

/**
 * Longest wait of a statement for a table that is in use, ms; then the migration gives way and is tried again. Statements that
 * come later wait behind such a statement.
 */
const TABLE_LOCK_TIMEOUT_MS = 2_000;

/** Which schema to bring forward or back. */
export interface MigrationTarget {
  /** Database with a role that may change the schema; not behind a pooler that changes the session between transactions. */
  readonly url: string;
  readonly schema: string;
  /** The module's own migrations; those of the kit are added. */
  readonly migrations: readonly MigrationClass[];
  /** Leave out the tables of the kit (outbox, consumed events): for schemas that belong to no module. */
  readonly withoutKit?: boolean;
  /** The same database as the services log in to it. Where their role is another one, it may read and write rows afterwards. */
  readonly serviceUrl?: string;
  /** Longest wait for another process that migrates the schema, and for tables in use, ms. Default {@link MIGRATION_LOCK_TIMEOUT_MS}. */
  readonly lockTimeoutMs?: number;
  /** Told at the beginning of a wait and every few seconds. */
  readonly onWait?: (message: string) => void;
}

/** Migrations of a schema, compared with those of this version. */
export interface MigrationStatus {
  /** Names in the order of their times. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied by a newer version. */
  readonly unknown: readonly string[];
}

/** A migration with the SQL that it would run. */
export interface PlannedMigration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** All migrations of a target in their order. */
const migrationsOf = ({ withoutKit, migrations }: MigrationTarget): readonly MigrationClass[] =>
  [...(withoutKit ? [] : kitMigrations), ...migrations].sort(
    (one, other) => timeOfMigration(one) - timeOfMigration(other),
  );

const forTypeOrm = (schema: string, type: MigrationClass): new () => MigrationInterface =>
  class {
    readonly name = type.name;
    private readonly migration = new type();
    readonly transaction = this.migration.isTransactional ?? true;
    async up(queries: QueryRunner): Promise<void> {
      await this.migration.up(runnerOf(schema, queries));
    }
    async down(queries: QueryRunner): Promise<void> {
      await this.migration.down(runnerOf(schema, queries));
    }
  };

const runnerOf = (schema: string, queries: QueryRunner): DirectRunner =>
  new DirectRunner(schema, async (sql, params) => {
    // Without parameters the simple protocol is used, which takes several statements at once.
    const result = (await queries.query(sql, params as unknown[] | undefined, true)) as { records?: object[] };
    return result.records ?? [];
  });

/** Wait with an end, reported to the caller. */
class Wait {
  private readonly began = Date.now();
  private reportAt = 0;

  constructor(private readonly target: MigrationTarget) {}

  /** Waits a moment; throws when the time is over. */
  async pause(reason: string): Promise<void> {
    const { lockTimeoutMs = MIGRATION_LOCK_TIMEOUT_MS, onWait } = this.target;
    const elapsed = Date.now() - this.began;
    if (elapsed >= lockTimeoutMs) throw new Error(`${reason}; gave up after ${lockTimeoutMs} ms`);
    if (elapsed >= this.reportAt) {
      onWait?.(`${reason}; waiting for ${Math.round(elapsed / 1000)} s`);
      this.reportAt = elapsed + REPORT_EVERY_MS;
    }
    await pause(Math.min(LOCK_RETRY_MS, lockTimeoutMs - elapsed));
  }
}

const connectTo = <T>({ url, schema }: MigrationTarget, work: (client: Client) => Promise<T>): Promise<T> =>
  withClient(url, { application_name: `groupware migration of ${schema}` }, work);

/** Runs work while no other process migrates the schema. */
async function withLock<T>(target: MigrationTarget, work: (client: Client) => Promise<T>): Promise<T> {
  const { schema } = target;
  return connectTo(target, async (client) => {
    const wait = new Wait(target);
    for (;;) {
      // Held by the connection: a process that dies in the middle frees it.
      const { rows } = await client.query<{ locked: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
        [`groupware migrate ${schema}`],
      );
      if (rows[0]!.locked) return work(client);
      await wait.pause(`another process migrates the schema ${schema}`);
    }
  });
}

async function withSource<T>(target: MigrationTarget, work: (source: DataSource) => Promise<T>): Promise<T> {
  const { url, schema } = target;
  const source = new DataSource({
    type: 'postgres',
    url: await singleHostUrl(url),
    schema,
    poolSize: 1,
    installExtensions: false,
    logger: silentLogger,
    migrations: migrationsOf(target).map((type) => forTypeOrm(schema, type)),
    migrationsTableName: 'migration',
    extra: {
      options: `-c search_path=${quoteIdentifier(schema)},public -c lock_timeout=${TABLE_LOCK_TIMEOUT_MS}`,
    },
  });
  await source.initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

/** True when a lock did not come free in time, or two waited for each other in a circle and Postgres ended this one. */
const isTableInUse = (error: unknown): boolean => {
  const { code, driverError } = error as { code?: string; driverError?: { code?: string } };
  return /^(55P03|40P01)$/.test(driverError?.code ?? code ?? '');
};

/** Repeats work that gave way to others who use a table. */
async function untilTablesAreFree<T>(target: MigrationTarget, work: () => Promise<T>): Promise<T> {
  const wait = new Wait(target);
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!isTableInUse(error)) throw error;
      await wait.pause(`a table of the schema ${target.schema} is in use`);
    }
}

/**
 * Brings a schema up to date: creates it if missing and runs the pending migrations, each in a transaction of its own.
 * Any number of processes may do so at once. Returns the names of those it ran.
 */
export async function migrate(target: MigrationTarget): Promise<string[]> {
  return withLock(target, async (client) => {
    // Not without need: the role may have got the schema from an administrator, without the right to make one.
    const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [target.schema]);
    if (!rowCount) await client.query(`create schema ${quoteIdentifier(target.schema)}`);
    const before = new Set(await appliedTo(client, target.schema));
    await withSource(target, (source) =>
      untilTablesAreFree(target, () => source.runMigrations({ transaction: 'each' })),
    );
    await grantToServices(client, target);
    return (await appliedTo(client, target.schema)).filter((name) => !before.has(name));
  });
}

/** Takes back the newest `steps` migrations of a schema, newest first. Returns their names. */
export async function rollback(target: MigrationTarget, steps = 1): Promise<string[]> {
  const types = migrationsOf(target);
  return withLock(target, (client) =>
    withSource(target, async (source) => {
      const undone: string[] = [];
      for (let step = 0; step < steps; step++) {
        const name = (await appliedTo(client, target.schema)).at(-1);
        if (!name) break;
        const type = types.find((candidate) => candidate.name === name);
        if (!type)
          throw new Error(`only a version that knows ${name} can take it back from the schema ${target.schema}`);
        const transaction = new type().isTransactional === false ? 'none' : 'each';
        await untilTablesAreFree(target, () => source.undoLastMigration({ transaction }));
        undone.push(name);
      }
      await grantToServices(client, target);
      return undone;
    }),
  );
}

/** Compares a schema with the migrations of this version; changes nothing. */
export async function readMigrationStatus(target: MigrationTarget): Promise<MigrationStatus> {
  const names = migrationsOf(target).map(({ name }) => name);
  const inSchema = await connectTo(target, (client) => appliedTo(client, target.schema));
  return {
    applied: names.filter((name) => inSchema.includes(name)),
    pending: names.filter((name) => !inSchema.includes(name)),
    unknown: inSchema.filter((name) => !names.includes(name)),
  };
}

/** Fails, with what helps, when a schema lacks migrations of this version. */
export async function assertMigrated(target: MigrationTarget): Promise<void> {
  const { pending } = await readMigrationStatus(target);
  if (pending.length > 0)
    throw new Error(
      `The schema ${target.schema} is behind this version, it lacks ${pending.join(', ')}: run \`svcctl migrate forward\` first, or let services migrate with MIGRATIONS=start`,
    );
}

/**
 * Finds the SQL that {@link migrate} would run. The statements run in a transaction that is rolled back: tables are locked
 * meanwhile. Those that need none, such as `create index concurrently`, are only told.
 */
export async function planMigration(target: MigrationTarget): Promise<PlannedMigration[]> {
  return withLock(target, async (client) => {
    const { pending } = await readMigrationStatus(target);
    return recordInTransaction(client, target, async (record) => {
      for (const name of pending) await record(name, (migration, runner) => migration.up(runner));
    });
  });
}

/** Finds the SQL that {@link rollback} would run, as {@link planMigration} does. */
export async function planRollback(target: MigrationTarget, steps = 1): Promise<PlannedMigration[]> {
  return withLock(target, async (client) => {
    const names = (await appliedTo(client, target.schema)).reverse().slice(0, steps);
    return recordInTransaction(client, target, async (record) => {
      for (const name of names) await record(name, (migration, runner) => migration.down(runner));
    });
  });
}

type RecordMigration = (
  name: string,
  run: (migration: InstanceType<MigrationClass>, runner: RecordingRunner) => Promise<void>,
) => Promise<void>;

async function recordInTransaction(
  client: Client,
  target: MigrationTarget,
  work: (record: RecordMigration) => Promise<void>,
): Promise<PlannedMigration[]> {
  const { schema } = target;
  const types = migrationsOf(target);
  const planned: PlannedMigration[] = [];
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`);
    const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
    if (!rowCount) await client.query(`create schema ${quoteIdentifier(schema)}`);
    await client.query(`set local search_path = ${quoteIdentifier(schema)}, public`);
    await work(async (name, run) => {
      const type = types.find((candidate) => candidate.name === name);
      if (!type) throw new Error(`this version does not know ${name}, which the schema ${schema} has`);
      const migration = new type();
      const execute = async (sql: string, params?: readonly unknown[]): Promise<object[]> => {
        const result = await client.query<object>(sql, params as unknown[] | undefined);
        return Array.isArray(result) ? [] : result.rows;
      };
      const runner = new RecordingRunner(schema, execute, migration.isTransactional ?? true);
      await run(migration, runner);
      planned.push({ name, statements: runner.statements });
    });
  } finally {
    await client.query('rollback');
  }
  return planned;
}

/** Names of the migrations that a schema has, in the order in which they were run. */
async function appliedTo(client: Client, schema: string): Promise<string[]> {
  const { rows: tables } = await client.query('select from pg_tables where schemaname = $1 and tablename = $2', [
    schema,
    'migration',
  ]);
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ name: string }>(
    `select name from ${quoteIdentifier(schema)}.migration order by id`,
  );
  return rows.map(({ name }) => name);
}
