import { Client } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { quoted } from './database-settings';
import { kitMigrations } from './kit-migrations';
import { silentLogger } from './silent-logger';
import type { MigrationClass, MigrationRunner } from './migration';

/** Which schema to bring forward or back. */
export interface MigrationTarget {
  readonly url: string;
  readonly schema: string;
  /** The module's own migrations; those of the kit are added. */
  readonly migrations: readonly MigrationClass[];
  /** Leave out the tables of the kit (outbox, consumed events): for schemas that belong to no module. */
  readonly withoutKit?: boolean;
}

class Runner implements MigrationRunner {
  constructor(private readonly queries: QueryRunner) {}

  async query<T extends object>(sql: string, params?: readonly unknown[]): Promise<T[]> {
    // Without parameters the simple protocol is used, which takes several statements at once.
    const result = (await this.queries.query(sql, params as unknown[] | undefined, true)) as { records?: T[] };
    return result.records ?? [];
  }

  async extension(name: string): Promise<void> {
    // `if not exists` does not help two transactions that create the same extension at once.
    await this.queries.query(`select pg_advisory_xact_lock(hashtextextended('groupware extension', 0))`);
    await this.queries.query(`create extension if not exists ${quoted(name)} with schema public`);
  }
}

const forTypeOrm = (type: MigrationClass): new () => MigrationInterface =>
  class {
    readonly name = type.name;
    async up(queries: QueryRunner): Promise<void> {
      await new type().up(new Runner(queries));
    }
    async down(queries: QueryRunner): Promise<void> {
      await new type().down(new Runner(queries));
    }
  };

async function underLock<T>(target: MigrationTarget, work: (source: DataSource) => Promise<T>): Promise<T> {
  const { url, schema } = target;
  const lock = new Client({ connectionString: url, application_name: `groupware migration of ${schema}` });
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    // Held by the connection: a process that dies in the middle frees it.
    await lock.query(`select pg_advisory_lock(hashtextextended($1, 0))`, [`groupware migrate ${schema}`]);
    await lock.query(`create schema if not exists ${quoted(schema)}`);
    const source = new DataSource({
      type: 'postgres',
      url,
      schema,
      poolSize: 1,
      installExtensions: false,
      logger: silentLogger,
      migrations: [...(target.withoutKit ? [] : kitMigrations), ...target.migrations].map(forTypeOrm),
      migrationsTableName: 'migration',
      extra: { options: `-c search_path=${quoted(schema)},public` },
    });
    await source.initialize();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  } finally {
    await lock.end();
  }
}

/**
 * Brings a schema up to date: creates it if missing and runs the pending migrations, each in a transaction of its own.
 * Any number of processes may do so at once. Returns the names of those it ran.
 */
export async function migrate(target: MigrationTarget): Promise<string[]> {
  return underLock(target, async (source) =>
    (await source.runMigrations({ transaction: 'each' })).map((migration) => migration.name),
  );
}

/** Takes back the newest `steps` migrations of a schema, newest first. */
export async function rollback(target: MigrationTarget, steps = 1): Promise<void> {
  await underLock(target, async (source) => {
    for (let step = 0; step < steps; step++) await source.undoLastMigration({ transaction: 'each' });
  });
}
