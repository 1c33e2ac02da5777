import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Bus } from '@groupware/messaging';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { findPostgres } from './postgres-program.mjs';
import { programAtHand, unprivilegedAccount } from './programs.mjs';
import { discard, startAll } from './services.mjs';

const programsDir = path.join(__dirname, '..', '..', '.data', 'tools');
const variables = ['DATABASE_URL', 'REDIS_URL', 'NATS_URL'] as const;
type Urls = Record<(typeof variables)[number], string>;

const given = Object.fromEntries(variables.map((name) => [name, process.env[name]]));
let dataDir: string;
let servers: { env: Urls; stop: () => Promise<void> };

/** Starts the servers of the data folder as the launcher does, in this process. */
async function start(): Promise<void> {
  for (const name of variables) delete process.env[name];
  try {
    servers = await startAll(dataDir, { programsDir });
  } finally {
    Object.assign(process.env, given);
  }
}

beforeAll(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'passwords-'));
  fs.chmodSync(dataDir, 0o755);
});
afterAll(async () => {
  await servers?.stop();
  await discard(dataDir);
});

async function withClient<T>(connectionString: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const withoutPassword = (url: string, username = ''): string =>
  Object.assign(new URL(url), { password: username ? 'wrong' : '', username }).href;

/** Makes a cluster as versions without passwords did: one superuser, who is let in from this machine. */
async function makeOpenCluster(): Promise<void> {
  const account = unprivilegedAccount();
  const { bin } = await findPostgres(dataDir, account);
  const { stdout } = await promisify(execFile)(path.join(bin, 'postgres'), ['--version']);
  const folder = path.join(dataDir, `postgres-${/\d+/.exec(stdout)![0]}`);
  const env = { PATH: process.env.PATH, LC_ALL: 'C' };
  fs.mkdirSync(folder, { mode: 0o700 });
  if (account.uid !== undefined) fs.chownSync(folder, account.uid, account.gid!);
  const options = ['-D', folder, '-U', 'groupware', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(path.join(bin, 'initdb'), options, { ...account, cwd: '/', env });
  const socket = fs.mkdtempSync(path.join(os.tmpdir(), 'open-'));
  fs.chmodSync(socket, 0o777);
  const server: ChildProcess = spawn(path.join(bin, 'postgres'), ['-D', folder, '-h', '', '-k', socket], {
    ...account,
    cwd: '/',
    env,
    stdio: 'ignore',
  });
  const exit = once(server, 'exit');
  const pidFile = path.join(folder, 'postmaster.pid');
  while (!fs.existsSync(pidFile) || !/^ready/m.test(fs.readFileSync(pidFile, 'utf8')))
    await Promise.race([
      new Promise((resolve) => setTimeout(resolve, 20)),
      exit.then(() => Promise.reject(new Error('the open cluster did not start'))),
    ]);
  const client = new Client({ host: socket, user: 'groupware', database: 'postgres' });
  await client.connect();
  await client.query(`
    create extension btree_gist with schema public;
    create schema calendar;
    create type calendar.mood as enum ('calm', 'busy');
    create table calendar.note (id bigint generated always as identity primary key, mood calendar.mood, text text);
    create sequence calendar.counter;
    create function calendar.twice(int) returns int language sql as 'select $1 * 2';
    create view calendar.recent as select * from calendar.note;
    insert into calendar.note (mood, text) select 'busy', 'kept ' || n from generate_series(1, 100) n;
  `);
  await client.end();
  server.kill('SIGINT');
  await exit;
  fs.rmSync(socket, { recursive: true });
}

const haveServers = programAtHand('apt-get') || (programAtHand('redis-server') && programAtHand('nats-server'));
(haveServers ? describe : describe.skip)('a data folder of a version without passwords', () => {
  beforeAll(async () => {
    await makeOpenCluster();
    await start();
  }, 120_000);

  it('keeps its rows, which belong to a role that is no superuser now', async () => {
    await withClient(servers.env.DATABASE_URL, async (client) => {
      const { rows } = await client.query('select count(*)::int as n, min(text) as text from calendar.recent');
      expect(rows).toEqual([{ n: 100, text: 'kept 1' }]);
      const roles = await client.query(
        `select rolname, rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname !~ '^pg_' order by 1`,
      );
      expect(roles.rows).toEqual([
        { rolname: 'groupware', rolsuper: false, rolcreatedb: true, rolcreaterole: false },
        { rolname: 'postgres', rolsuper: true, rolcreatedb: true, rolcreaterole: true },
      ]);
    });
  });

  it('lets that role change all it owns, add schemas, extensions and databases', async () => {
    await withClient(servers.env.DATABASE_URL, async (client) => {
      await client.query(`alter table calendar.note add column more int`);
      await client.query(`alter type calendar.mood add value 'asleep'`);
      await client.query(`create or replace function calendar.twice(int) returns int language sql as 'select $1 * 3'`);
      await client.query(`alter sequence calendar.counter restart 7`);
      await client.query(`drop view calendar.recent`);
      await client.query(`create schema identity; drop schema identity`);
      await client.query(`create extension if not exists btree_gist with schema public`);
      await client.query(`create extension if not exists pg_trgm with schema public`);
      await client.query(`create database another`);
      await client.query(`drop database another with (force)`);
    });
  });

  it('refuses whoever has no password, a wrong one, or wants to administer with that of the services', async () => {
    const { DATABASE_URL, REDIS_URL, NATS_URL } = servers.env;
    const refused = (url: string) =>
      expect(withClient(url, () => Promise.resolve('let in'))).rejects.toThrow(/password/i);
    await refused(withoutPassword(DATABASE_URL, 'groupware'));
    await refused(withoutPassword(DATABASE_URL, 'postgres'));
    await withClient(DATABASE_URL, (client) =>
      expect(client.query(`copy (select 1) to program 'true'`)).rejects.toThrow(/permission denied/),
    );

    const stranger = new Redis(withoutPassword(REDIS_URL), { enableReadyCheck: false, lazyConnect: true });
    await stranger.connect();
    await expect(stranger.get('key')).rejects.toThrow(/NOAUTH/);
    stranger.disconnect();
    const service = new Redis(REDIS_URL);
    await service.set('key', 'value');
    await expect(service.config('GET', 'requirepass')).rejects.toThrow(/NOPERM/);
    await expect(service.flushall()).rejects.toThrow(/NOPERM/);
    service.disconnect();

    await expect(Bus.connect({ url: withoutPassword(NATS_URL) })).rejects.toThrow(/authorization/i);
    const bus = await Bus.connect({ url: NATS_URL });
    await bus.close();
  });

  it('holds passwords only where its owner alone can read', () => {
    expect(fs.statSync(dataDir).mode & 0o777).toBe(0o711);
    const mode = (name: string) => fs.statSync(path.join(dataDir, name)).mode & 0o777;
    for (const folder of ['redis-server', 'nats-server']) expect(mode(folder)).toBe(0o700);
    const passwords = variables.map((name) => new URL(servers.env[name]).password);
    expect(new Set(passwords.filter((password) => password.length >= 32)).size).toBe(3);
    const inside = (folder: string): string[] =>
      fs.readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return entry.isFile() && fs.statSync(file).size < 100_000 ? [file] : [];
      });
    const holding = inside(dataDir).filter((file) =>
      passwords.some((password) => fs.readFileSync(file).includes(password)),
    );
    expect(holding.map((file) => path.relative(dataDir, file)).sort()).toEqual([
      'nats-server/nats-server.conf',
      'redis-server/redis-server.conf',
      'servers.json',
    ]);
    for (const file of holding) expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const commands = fs.readdirSync(dataDir).filter((name) => name.endsWith('.note.json'));
    for (const note of commands) {
      const { pid } = JSON.parse(fs.readFileSync(path.join(dataDir, note), 'utf8')).process;
      const command = fs.existsSync('/proc') ? fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1') : '';
      for (const password of passwords) expect(command).not.toContain(password);
    }
  });

  it('takes other passwords at the next start, and what was stored stays', async () => {
    const before = servers.env;
    const redis = new Redis(before.REDIS_URL);
    await redis.multi().set('first', '1').set('second', '2').exec();
    redis.disconnect();
    await servers.stop();
    fs.rmSync(path.join(dataDir, 'servers.json'));
    await start();
    expect(new URL(servers.env.DATABASE_URL).password).not.toBe(new URL(before.DATABASE_URL).password);
    const { rows } = await withClient(servers.env.DATABASE_URL, (client) =>
      client.query('select count(*)::int as n from calendar.note'),
    );
    expect(rows).toEqual([{ n: 100 }]);
    const again = new Redis(servers.env.REDIS_URL);
    expect(await again.mget('first', 'second')).toEqual(['1', '2']);
    again.disconnect();
  }, 60_000);
});
