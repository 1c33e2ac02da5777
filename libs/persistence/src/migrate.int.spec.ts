import { randomBytes } from 'node:crypto';
import { dropDatabases } from '@groupware/test-kit';
import { Client } from 'pg';
import { describeSchema } from './describe-schema';
import { migrate, planMigration, planRollback, readMigrationStatus, rollback, type MigrationTarget } from './migrate';
import type { Migration, MigrationRunner } from './migration';

class CreateThings1700000000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create table thing (id int primary key, name text)');
  }
  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table thing');
  }
}
class FindNames1700000000001 implements Migration {
  readonly isTransactional = false;
  async up(db: MigrationRunner): Promise<void> {
    await db.createIndexConcurrently('thing_name', 'on thing (name)');
  }
  async down(db: MigrationRunner): Promise<void> {
    await db.dropIndexConcurrently('thing_name');
  }
}
class AddNote1700000000002 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('alter table thing add note text');
    await db.query('update thing set note = $1', ['new']);
  }
  async down(db: MigrationRunner): Promise<void> {
    await db.query('alter table thing drop note');
  }
}

const all = [CreateThings1700000000000, FindNames1700000000001, AddNote1700000000002];
const name = `migrate_${randomBytes(6).toString('hex')}`;
const url = Object.assign(new URL(process.env.DATABASE_URL!), { pathname: `/${name}` }).href;
let admin: Client;
let client: Client;
let schemas = 0;

beforeAll(async () => {
  admin = new Client({ connectionString: process.env.DATABASE_URL });
  await admin.connect();
  await admin.query(`create database ${name}`);
  client = new Client({ connectionString: url });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await dropDatabases(name);
  await admin?.end();
});

const target = (migrations = all, options: Partial<MigrationTarget> = {}): MigrationTarget => ({
  url,
  schema: `s${++schemas}`,
  migrations,
  withoutKit: true,
  ...options,
});

const isValid = async (schema: string): Promise<boolean | undefined> => {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'select indisvalid from pg_index where indexrelid = to_regclass($1)',
    [`${schema}.thing_name`],
  );
  return rows[0]?.indisvalid;
};

describe('the lock of a schema', () => {
  it('is waited for with a word about it, and not for ever', async () => {
    const waits: string[] = [];
    const locked = target(all, { lockTimeoutMs: 300, onWait: (message) => void waits.push(message) });
    const key = `groupware migrate ${locked.schema}`;
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key]);
    const message = `another process migrates the schema ${locked.schema}`;
    await expect(migrate(locked)).rejects.toThrow(`${message}; gave up after 300 ms`);
    expect(waits).toEqual([`${message}; waiting for 0 s`]);
    const patient = migrate({ ...locked, lockTimeoutMs: 60_000 });
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [key]);
    expect(await patient).toHaveLength(3);
  });

  it('leaves tables in use to those who use them, and tries again', async () => {
    const before = target(all.slice(0, 2));
    await migrate(before);
    await client.query(`begin; lock table ${before.schema}.thing in access share mode`);
    let isFirst = true;
    const waits: string[] = [];
    const onWait = (message: string): void => {
      waits.push(message);
      if (isFirst) void client.query('commit');
      isFirst = false;
    };
    expect(await migrate({ ...before, migrations: all, onWait })).toEqual(['AddNote1700000000002']);
    expect(waits[0]).toContain(`a table of the schema ${before.schema} is in use; waiting for `);
  });

  it('gives way to a transaction that waits for it in a circle, and tries again', async () => {
    class AddWidths1700000000003 implements Migration {
      async up(db: MigrationRunner): Promise<void> {
        await db.query('alter table other add width int');
        await db.query('alter table thing add width int');
      }
      async down(db: MigrationRunner): Promise<void> {
        await db.query('alter table thing drop width; alter table other drop width');
      }
    }
    const before = target();
    await migrate(before);
    const { schema } = before;
    await client.query(`create table ${schema}.other (id int)`);
    await client.query(`begin; lock table ${schema}.thing in access share mode`);
    const migrated = migrate({ ...before, migrations: [...all, AddWidths1700000000003] });
    // Long before it looks for a deadlock, which is after a second.
    const waiting = `select from pg_locks where relation = '${schema}.thing'::regclass
      and not granted and waitstart < clock_timestamp() - interval '0.5 s'`;
    while (!(await client.query(waiting)).rowCount);
    // It has waited for longer than this transaction is going to: Postgres ends it.
    await client.query(`lock table ${schema}.other in access share mode`);
    await client.query('commit');
    expect(await migrated).toEqual(['AddWidths1700000000003']);
  });
});

describe('the status of a schema', () => {
  it('tells what was run, what is missing and what only a newer version knows', async () => {
    const whole = target();
    expect(await readMigrationStatus(whole)).toMatchObject({ applied: [], unknown: [] });
    expect((await client.query('select to_regnamespace($1) as found', [whole.schema])).rows).toEqual([{ found: null }]);
    await migrate({ ...whole, migrations: all.slice(0, 1) });
    expect(await readMigrationStatus(whole)).toEqual({
      applied: ['CreateThings1700000000000'],
      pending: ['FindNames1700000000001', 'AddNote1700000000002'],
      unknown: [],
    });
    await migrate(whole);
    const older = { ...whole, migrations: all.slice(0, 2) };
    expect((await readMigrationStatus(older)).unknown).toEqual(['AddNote1700000000002']);
    await expect(rollback(older)).rejects.toThrow('only a version that knows AddNote1700000000002 can take it back');
  });
});

describe('a plan', () => {
  it('has the SQL of both directions, and changes nothing', async () => {
    const planned = target();
    const forward = [
      { name: 'CreateThings1700000000000', statements: ['create table thing (id int primary key, name text)'] },
      { name: 'FindNames1700000000001', statements: ['create index concurrently "thing_name" on thing (name)'] },
      {
        name: 'AddNote1700000000002',
        statements: ['alter table thing add note text', 'update thing set note = $1\n-- $1 = "new"'],
      },
    ];
    expect(await planMigration(planned)).toEqual(forward);
    expect((await client.query('select to_regnamespace($1) as found', [planned.schema])).rows).toEqual([
      { found: null },
    ]);
    await migrate(planned);
    const before = await describeSchema(url, planned.schema);
    expect(await planMigration(planned)).toEqual([]);
    expect(await planRollback(planned, 2)).toEqual([
      { name: 'AddNote1700000000002', statements: ['alter table thing drop note'] },
      { name: 'FindNames1700000000001', statements: ['drop index concurrently if exists "thing_name"'] },
    ]);
    expect(await describeSchema(url, planned.schema)).toBe(before);
    expect((await readMigrationStatus(planned)).pending).toEqual([]);
  });
});

describe('an index that is built while others write', () => {
  it('waits for transactions that are older, and replaces what an interrupted run left', async () => {
    const step = target(all.slice(0, 2));
    await migrate({ ...step, migrations: all.slice(0, 1) });
    await client.query(`insert into ${step.schema}.thing values (1, 'a'), (2, 'a')`);
    // A unique index over doubled values fails half-way, as a process that is killed would leave it.
    await expect(
      client.query(`create unique index concurrently thing_name on ${step.schema}.thing (name)`),
    ).rejects.toThrow(/could not create unique index/);
    expect(await isValid(step.schema)).toBe(false);
    expect(await migrate(step)).toEqual(['FindNames1700000000001']);
    expect(await isValid(step.schema)).toBe(true);
    expect(await rollback(step)).toEqual(['FindNames1700000000001']);
    expect(await isValid(step.schema)).toBeUndefined();
  });

  it('does not wait for processes that wait for the lock of the schema', async () => {
    const step = target(all.slice(0, 2));
    const results = await Promise.all([1, 2, 3].map(() => migrate(step)));
    expect(results.flat().sort()).toEqual(['CreateThings1700000000000', 'FindNames1700000000001']);
  });
});

describe('a role of its own for changes of schemas', () => {
  it('leaves rows to the role of the services, and no more', async () => {
    // A role that every server has: the role of the tests may make none.
    const serviceUrl = Object.assign(new URL(url), { username: 'pg_monitor' }).href;
    const granted = target(all, { serviceUrl });
    await migrate(granted);
    const { rows } = await client.query<object>(
      `select has_schema_privilege('pg_monitor', $1, 'usage') as usage, has_schema_privilege('pg_monitor', $1, 'create') as creates,
         has_table_privilege('pg_monitor', $2, 'select') and has_table_privilege('pg_monitor', $2, 'insert')
           and has_table_privilege('pg_monitor', $2, 'update') and has_table_privilege('pg_monitor', $2, 'delete') as rows,
         has_table_privilege('pg_monitor', $2, 'truncate') as truncates,
         has_table_privilege('pg_monitor', $3, 'select') as reads, has_table_privilege('pg_monitor', $3, 'insert') as notes`,
      [granted.schema, `${granted.schema}.thing`, `${granted.schema}.migration`],
    );
    expect(rows).toEqual([{ usage: true, creates: false, rows: true, truncates: false, reads: true, notes: false }]);
  });
});
