import { randomBytes, randomUUID } from 'node:crypto';
import { appendFile, chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { FolderStore } from '@groupware/file-store';
import { Bus, discardEvents, EventBus } from '@groupware/messaging';
import { ShardRegistry } from '@groupware/persistence';
import { connectRedis } from '@groupware/sessions';
import { EXIT, run } from '@groupware/svcctl';
import { Client } from 'pg';
import { serverCredentials } from './credentials.mjs';
import { findPostgresWithClients } from './postgres-clients.mjs';
import { postgres } from './postgres.mjs';

const PROGRAMS = path.join(__dirname, '..', '..', '.data', 'tools');
const name = `backup_${randomBytes(6).toString('hex')}`;
let folder: string;
let bin: string;
let server: { url: string; stop: () => Promise<void> };
let home: Client;
let shard: Client;

const urlOf = (part: string): string => Object.assign(new URL(server.url), { pathname: `/${name}${part}` }).href;
const connected = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backup-'));
  await chmod(folder, 0o711);
  // Of the same version as its pg_dump: the server of the other tests has none.
  const program = await findPostgresWithClients({ programsDir: PROGRAMS, home: folder });
  ({ bin } = program);
  server = await postgres({ dataDir: folder, durable: false, credentials: serverCredentials(folder), program });
  const admin = await connected(server.url);
  await admin.query(`create database ${name}`);
  await admin.query(`create database ${name}_b`);
  await admin.end();
  const registry = await ShardRegistry.open({ url: urlOf(''), addresses: { b: urlOf('_b') } });
  await registry.addShard({ name: 'second', url: 'ref:b' });
  await registry.close();
  [home, shard] = [await connected(urlOf('')), await connected(urlOf('_b'))];
}, 240_000);
afterAll(async () => {
  await home?.end();
  await shard?.end();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

async function svcctl(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const texts = { out: '', error: '' };
  const code = await run(['--json', ...args], {
    input: Readable.from([]),
    out: (text) => void (texts.out += text),
    error: (text) => void (texts.error += text),
    environment: {
      DATABASE_URL: urlOf(''),
      DATABASE_URLS: `b=${urlOf('_b')}`,
      REDIS_URL: process.env.REDIS_URL,
      NATS_URL: process.env.NATS_URL,
      GROUPWARE_BUS_PREFIX: name,
      FILESTORE_URL: `file://${folder}/files`,
      GROUPWARE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  });
  return { code, ...texts };
}
const numberOf = async (client: Client, sql: string): Promise<number> => Number((await client.query(sql)).rows[0].n);

it('backs up and restores all shards; numbers are not used twice, sessions and events of before end', async () => {
  const backup = path.join(folder, 'b');
  const withPrograms = ['--postgres-bin', bin];
  const redis = await connectRedis(process.env.REDIS_URL!);
  const bus = await Bus.connect({ url: process.env.NATS_URL!, prefix: name });
  try {
    expect(await svcctl('migrate', 'forward')).toMatchObject({ code: EXIT.ok, error: '' });
    await shard.query(`insert into push.sent_event values (1, '{}', 'g', 1, 1)`);
    await shard.query('insert into calendar.appointment_counter (context_id, next_id, last_stamp) values (7, 5, 1)');
    const event = `insert into calendar.outbox (id, context_id, name, payload, occurred_at) values ($1, 7, 'x', '{}', 1)`;
    await shard.query(event, [randomUUID()]);

    const written = await svcctl('backup', backup, ...withPrograms);
    expect(written).toMatchObject({ code: EXIT.ok, error: '' });
    const { shards } = JSON.parse(written.out) as { shards: { rows: Record<string, number> }[] };
    expect(shards.map(({ rows }) => rows['push.sent_event'])).toEqual([0, 1]);
    expect((await stat(path.join(backup, 'shard-1.dump'))).mode & 0o777).toBe(0o600);
    expect(await svcctl('check-backup', backup, ...withPrograms)).toMatchObject({ code: EXIT.ok, out: written.out });

    // Changes after the backup: an appointment of each number up to 8, an event, a session.
    await shard.query('update calendar.appointment_counter set next_id = 9');
    await shard.query(event, [randomUUID()]);
    const lastSeq = await numberOf(shard, 'select max(seq) as n from calendar.outbox');
    await redis.set(`${name}:session:x`, 'x');
    await redis.set(`${name}:attempts:x`, 'x');
    await new EventBus(bus).open();

    expect((await svcctl('restore', backup, ...withPrograms)).error).toContain('only --replace drops them');
    expect(await numberOf(shard, 'select count(*) as n from calendar.outbox')).toBe(2);
    const restored = await svcctl('restore', backup, '--replace', ...withPrograms);
    expect(restored).toMatchObject({ code: EXIT.ok, error: '' });
    expect(JSON.parse(restored.out)).toMatchObject({ sessionsEnded: 1, eventsDiscarded: true });
    expect(await numberOf(shard, 'select count(*) as n from calendar.outbox')).toBe(1);
    expect(await redis.keys(`${name}:*`)).toEqual([`${name}:attempts:x`]);
    expect((await svcctl('migrate', 'status')).code).toBe(EXIT.ok);

    expect(await numberOf(shard, 'select next_id as n from calendar.appointment_counter')).toBeGreaterThanOrEqual(9);
    await shard.query(event, [randomUUID()]);
    expect(await numberOf(shard, 'select max(seq) as n from calendar.outbox')).toBeGreaterThan(lastSeq);

    await appendFile(path.join(backup, 'shard-1.dump'), 'x');
    const damaged = await svcctl('restore', backup, '--replace', ...withPrograms);
    expect(damaged.error).toContain('shard-1.dump is not what was written');
    expect(await numberOf(shard, 'select count(*) as n from push.sent_event')).toBe(1);
  } finally {
    await redis.del(`${name}:attempts:x`);
    redis.disconnect();
    await discardEvents(bus);
    await bus.close();
  }
}, 240_000);

it('finds files that rows name and no store has, or has otherwise', async () => {
  const [own, other] = [`${folder}/files`, `${folder}/other`];
  await home.query(`insert into identity.filestore (filestore_id, uri) overriding system value values (2, $1)`, [
    `file://${other}`,
  ]);
  const row = 'insert into attachments.stored_file values (7, $1, $2, $3, null, $4, 1)';
  const store = async (place: string, prefix: string): Promise<string> => {
    const files = new FolderStore(place);
    const { reference, sizeBytes, sha256 } = await files.write(Readable.from([Buffer.from(prefix)]), { maxBytes: 100 });
    await files.claim(reference);
    await shard.query(row, [`${prefix}${reference}`, sha256, sizeBytes, 'kept']);
    return reference;
  };
  await store(own, '');
  const kept = await store(other, '2-');
  expect(JSON.parse((await svcctl('check-files')).out)).toMatchObject({ files: 2, bytes: 2, wrong: 0 });

  // Of no attachment any more, so its bytes may be gone.
  await shard.query(row, ['f'.repeat(32), 'other', 1, 'dying']);
  await shard.query('update attachments.stored_file set size_bytes = 3 where size_bytes = 0');
  const file = (await readdir(other, { recursive: true })).find((each) => each.endsWith(kept))!;
  await rm(path.join(other, file));
  const { code, out, error } = await svcctl('check-files');
  expect(code).toBe(EXIT.refused);
  expect(error).toContain('2 of 2 files');
  expect(JSON.parse(out).problems).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ storeId: 1, problem: 'has 0 bytes instead of 3' }),
      expect.objectContaining({ contextId: 7, reference: `2-${kept}`, storeId: 2, problem: 'is missing' }),
    ]),
  );
}, 60_000);
