import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { loadModules, modules } from '@groupware/host';
import {
  describeSchema,
  migrate,
  planMigration,
  rollback,
  ShardRegistry,
  type MigrationClass,
} from '@groupware/persistence';
import { EXIT, run } from '@groupware/svcctl';
import { dropDatabases, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { Client } from 'pg';
import { INCOMPATIBLE_BEFORE_FIRST_RELEASE, incompatibleParts, NEW_MODULES } from './migration-compatibility';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({});
}, 60_000);
afterAll(() => database?.close());

const timeOf = ({ name }: MigrationClass): number => Number(/\d+$/.exec(name)![0]);

describe('each migration leaves what was there before when it is taken back, and comes again', () => {
  it.each(Object.keys(modules))(
    '%s',
    async (name) => {
      const [service] = await loadModules([name]);
      const schema = `back_and_forth_${name.replace('-', '_')}`;
      const inOrder = [...(service!.migrations ?? [])].sort((one, other) => timeOf(one) - timeOf(other));
      await migrate({ url: database.url, schema, migrations: [] });
      let before = await describeSchema(database.url, schema);
      for (const count of inOrder.keys()) {
        const target = { url: database.url, schema, migrations: inOrder.slice(0, count + 1) };
        expect(await migrate(target)).toEqual([inOrder[count]!.name]);
        const after = await describeSchema(database.url, schema);
        await rollback(target);
        expect(await describeSchema(database.url, schema)).toBe(before);
        await migrate(target);
        expect(await describeSchema(database.url, schema)).toBe(after);
        before = after;
      }
    },
    120_000,
  );
});

describe('processes of the version before go on working with each migration', () => {
  it.each(Object.keys(modules).filter((name) => !NEW_MODULES.has(name)))('%s', async (name) => {
    const [service] = await loadModules([name]);
    const target = { url: database.url, schema: 'never_made', migrations: service!.migrations ?? [] };
    const found = (await planMigration(target)).flatMap((migration) => {
      const parts = incompatibleParts(migration.statements);
      return parts.length > 0 ? [{ name: migration.name, parts }] : [];
    });
    expect(found.filter((migration) => !INCOMPATIBLE_BEFORE_FIRST_RELEASE.has(migration.name))).toEqual([]);
  });
});

describe('svcctl migrate', () => {
  const name = `svcctl_${randomBytes(6).toString('hex')}`;
  const urlOf = (part: string): string => Object.assign(new URL(database.url), { pathname: `/${name}${part}` }).href;
  let admin: Client;
  let second: ShardRegistry;

  beforeAll(async () => {
    admin = new Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`create database ${name}`);
    await admin.query(`create database ${name}_b`);
    second = await ShardRegistry.open({ url: urlOf(''), addresses: { b: urlOf('_b') } });
    await second.addShard({ name: 'second', url: 'ref:b' });
  });
  afterAll(async () => {
    await second?.close();
    await dropDatabases(name, `${name}_b`);
    await admin?.end();
  });

  async function svcctl(...args: string[]): Promise<{ code: number; out: string; error: string }> {
    const texts = { out: '', error: '' };
    const code = await run(['--json', 'migrate', ...args], {
      input: Readable.from([]),
      out: (text) => void (texts.out += text),
      error: (text) => void (texts.error += text),
      environment: { DATABASE_URL: urlOf(''), DATABASE_URLS: `b=${urlOf('_b')}` },
    });
    return { code, ...texts };
  }
  const rows = (text: string) =>
    JSON.parse(text) as { shard: string; schema: string; migration?: string; pending?: string[] }[];

  it('brings all schemas of all shards forward and back, and shows before what it will do', async () => {
    const [calendar] = await loadModules(['calendar']);
    const newest = calendar!.migrations!.reduce((one, other) => (timeOf(one) > timeOf(other) ? one : other)).name;
    const behind = await svcctl('status');
    expect(behind.code).toBe(EXIT.refused);
    expect(rows(behind.out).filter(({ pending }) => pending!.length === 0)).toEqual([
      expect.objectContaining({ shard: 'default', schema: 'registry' }),
    ]);
    expect((await svcctl('forward', '--dry-run')).out).toContain('create table appointment');
    expect((await svcctl('status')).out).toBe(behind.out);

    const forward = rows((await svcctl('forward')).out);
    expect(forward).toContainEqual({ shard: 'second', schema: 'calendar', migration: newest });
    expect(forward.filter(({ shard, schema }) => shard === 'second' && schema === 'identity')).toEqual([]);
    const current = await svcctl('status');
    expect(current.code).toBe(EXIT.ok);
    expect(await svcctl('forward')).toEqual({ code: EXIT.ok, out: '[]\n', error: '' });

    expect((await svcctl('back', 'push', '--dry-run')).out).toContain('drop table event_stream');
    expect((await svcctl('status')).out).toBe(current.out);
    const back = rows((await svcctl('back', 'calendar', '--shard', 'second')).out);
    expect(back).toEqual([{ shard: 'second', schema: 'calendar', migration: newest }]);
    expect(rows((await svcctl('status')).out).filter(({ pending }) => pending!.length > 0)).toEqual([
      expect.objectContaining({ shard: 'second', schema: 'calendar', pending: [newest] }),
    ]);
  }, 120_000);

  it('says what is wrong with its settings, a schema, or the server', async () => {
    expect(await svcctl('back', 'nothing')).toMatchObject({ code: EXIT.usage, error: 'There is no schema nothing.\n' });
    const terminal = { input: Readable.from([]), out: () => undefined, error: (text: string) => void (told += text) };
    let told = '';
    const away = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    expect(await run(['migrate', 'status'], { ...terminal, environment: away })).toBe(EXIT.unreachable);
    expect(told).toContain('ECONNREFUSED');
    told = '';
    expect(await run(['migrate', 'status'], { ...terminal, environment: { ...away, MIGRATIONS: 'maybe' } })).toBe(
      EXIT.refused,
    );
    expect(told).toContain('MIGRATIONS');
  });
});
