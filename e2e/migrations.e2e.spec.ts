import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { loadModules, modules } from '@groupware/host';
import { Bus, discardEvents, EventBus } from '@groupware/messaging';
import {
  describeSchema,
  migrate,
  planMigration,
  rollback,
  ShardRegistry,
  type MigrationClass,
} from '@groupware/persistence';
import { connectRedis } from '@groupware/sessions';
import { EXIT, run } from '@groupware/svcctl';
import { dropDatabases, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { Client } from 'pg';
import { INCOMPATIBLE_BEFORE_FIRST_RELEASE, incompatibleParts } from './migration-compatibility';

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
  it.each(Object.keys(modules))('%s', async (name) => {
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

  const servers = { REDIS_URL: process.env.REDIS_URL, NATS_URL: process.env.NATS_URL, GROUPWARE_BUS_PREFIX: name };
  const svcctl = (...args: string[]) => program('migrate', ...args);
  async function program(...args: string[]): Promise<{ code: number; out: string; error: string }> {
    const texts = { out: '', error: '' };
    const code = await run(['--json', ...args], {
      input: Readable.from([]),
      out: (text) => void (texts.out += text),
      error: (text) => void (texts.error += text),
      environment: { DATABASE_URL: urlOf(''), DATABASE_URLS: `b=${urlOf('_b')}`, ...servers },
    });
    return { code, ...texts };
  }
  const rows = (text: string) =>
    JSON.parse(text) as { shard: string; schema: string; migration?: string; pending?: string[] }[];

  it('brings all schemas of all shards forward and back, and shows before what it will do', async () => {
    const behind = await svcctl('status');
    expect(behind.code).toBe(EXIT.refused);
    expect(rows(behind.out).filter(({ pending }) => pending!.length === 0)).toEqual([
      expect.objectContaining({ shard: 'default', schema: 'registry' }),
    ]);
    expect((await svcctl('forward', '--dry-run')).out).toContain('create table appointment');
    expect((await svcctl('status')).out).toBe(behind.out);

    const forward = rows((await svcctl('forward')).out);
    expect(forward).toContainEqual({ shard: 'second', schema: 'calendar', migration: 'FindParts1764100000000' });
    expect(forward.filter(({ shard, schema }) => shard === 'second' && schema === 'identity')).toEqual([]);
    const current = await svcctl('status');
    expect(current.code).toBe(EXIT.ok);
    expect(await svcctl('forward')).toEqual({ code: EXIT.ok, out: '[]\n', error: '' });

    expect((await svcctl('back', 'push', '--dry-run')).out).toContain('drop table event_stream');
    expect((await svcctl('status')).out).toBe(current.out);
    const back = rows((await svcctl('back', 'calendar', '--shard', 'second')).out);
    expect(back).toEqual([{ shard: 'second', schema: 'calendar', migration: 'FindParts1764100000000' }]);
    expect(rows((await svcctl('status')).out).filter(({ pending }) => pending!.length > 0)).toEqual([
      expect.objectContaining({ shard: 'second', schema: 'calendar', pending: ['FindParts1764100000000'] }),
    ]);
  }, 120_000);

  it('backs up and restores all shards, and ends sessions and events of what was there before', async () => {
    const folder = path.join(await mkdtemp(path.join(tmpdir(), 'backup-')), 'b');
    const redis = await connectRedis(process.env.REDIS_URL!);
    const bus = await Bus.connect({ url: process.env.NATS_URL!, prefix: name });
    const shard = new Client({ connectionString: urlOf('_b') });
    await shard.connect();
    try {
      await svcctl('forward');
      await shard.query(`insert into push.sent_event values (1, '{}', 'g', 1, 1)`);
      const written = await program('backup', folder);
      if (written.code !== EXIT.ok) {
        // No programs of this or a newer major version of Postgres on this machine: it has to say so, and leave no manifest.
        expect(written.error).toMatch(/pg_dump was not found|server version mismatch/);
        expect((await program('check-backup', folder)).error).toContain('is no complete backup');
        return;
      }
      const { shards } = JSON.parse(written.out) as { shards: { rows: Record<string, number> }[] };
      expect(shards.map(({ rows: counts }) => counts['push.sent_event'])).toEqual([0, 1]);
      expect((await stat(path.join(folder, 'shard-1.dump'))).mode & 0o777).toBe(0o600);
      expect(await program('check-backup', folder)).toMatchObject({ code: EXIT.ok, out: written.out });
      await shard.query(`insert into push.sent_event values (2, '{}', 'g', 2, 1)`);
      await redis.set(`${name}:session:x`, 'x');
      await redis.set(`${name}:attempts:x`, 'x');
      await new EventBus(bus).open();

      expect((await program('restore', folder)).error).toContain('only --replace drops them');
      expect((await shard.query('select from push.sent_event')).rowCount).toBe(2);
      const restored = await program('restore', folder, '--replace');
      expect(restored).toMatchObject({ code: EXIT.ok, error: '' });
      expect(JSON.parse(restored.out)).toMatchObject({ sessionsEnded: 1, eventsDiscarded: true });
      expect((await shard.query('select seq from push.sent_event')).rows).toEqual([{ seq: '1' }]);
      expect(await redis.keys(`${name}:*`)).toEqual([`${name}:attempts:x`]);
      expect((await svcctl('status')).code).toBe(EXIT.ok);

      await appendFile(path.join(folder, 'shard-1.dump'), 'x');
      const damaged = await program('restore', folder, '--replace');
      expect(damaged.error).toContain('shard-1.dump is not what was written');
      expect((await shard.query('select from push.sent_event')).rowCount).toBe(1);
    } finally {
      await shard.end();
      await redis.del(`${name}:attempts:x`);
      redis.disconnect();
      await discardEvents(bus);
      await bus.close();
      await rm(path.dirname(folder), { recursive: true, force: true });
    }
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
