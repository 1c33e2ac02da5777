import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ModuleDatabase, ShardRegistry, type Migration, type MigrationRunner } from '@groupware/persistence';
import { until } from '@groupware/test-kit';
import { Client } from 'pg';
import { findPostgres } from './postgres-program.mjs';
import { giveTree, isRoot, unprivilegedAccount } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';

class CreateEntries1763700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query('create table entry (context_id int, id int, primary key (context_id, id))');
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table entry');
  }
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const one = { contextId: 1 };

/** A cluster of its own that trusts all accounts of this machine. */
class Server {
  port = 0;
  private child: ChildProcess | undefined;

  constructor(
    private readonly bin: string,
    readonly folder: string,
  ) {}

  async start(): Promise<void> {
    this.port = await onFreePort(async (port: number) => {
      this.child = spawn(
        path.join(this.bin, 'postgres'),
        ['-D', this.folder, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'fsync=off'],
        { ...unprivilegedAccount(), stdio: 'ignore', cwd: '/' },
      );
      await untilReady(() => answers(port, SSL_REQUEST, /^[SN]/), this.child);
      return port;
    });
    await until(
      () =>
        this.query('select 1').then(
          () => true,
          () => false, // not yet accepting connections
        ),
      20_000,
    );
  }

  async query(sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString: `postgres://postgres@127.0.0.1:${this.port}/postgres` });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
    } finally {
      await client.end();
    }
  }

  async kill(): Promise<void> {
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGQUIT');
    await once(this.child, 'exit');
  }
}

describe('an address with several hosts', () => {
  let home: string;
  let primary: Server;
  let standby: Server;
  let registry: ShardRegistry;
  let database: ModuleDatabase;
  const migrations = [CreateEntries1763700000000];

  beforeAll(async () => {
    const account = unprivilegedAccount();
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'postgres-hosts-'));
    fs.chmodSync(home, 0o711);
    const { bin } = await findPostgres(home, account);
    const folders = ['primary', 'standby'].map((name) => path.join(home, name)) as [string, string];
    fs.mkdirSync(folders[0], { mode: 0o700 });
    if (isRoot) giveTree(folders[0], account);
    execFileSync(path.join(bin, 'initdb'), ['-D', folders[0], '-U', 'postgres', '--auth=trust', '--no-sync'], {
      ...account,
      stdio: 'ignore',
      cwd: '/',
    });
    fs.cpSync(folders[0], folders[1], { recursive: true });
    primary = new Server(bin, folders[0]);
    await primary.start();
    fs.writeFileSync(path.join(folders[1], 'standby.signal'), '');
    fs.appendFileSync(
      path.join(folders[1], 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'\n`,
    );
    if (isRoot) giveTree(folders[1], account);
    standby = new Server(bin, folders[1]);
    await standby.start();
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
    const url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`;
    registry = await ShardRegistry.open({ url });
    database = await ModuleDatabase.open({ module: 'entries', registry, settings: { url, poolSize: 3 }, migrations });
  }, 120_000);
  afterAll(async () => {
    await database?.close();
    await registry?.close();
    await primary?.kill();
    await standby?.kill();
    fs.rmSync(home, { recursive: true, force: true });
  }, 30_000);

  const write = (id: number) => database.transact(one, (tx) => tx.run('insert into entry values ($1, $2)', id));
  const ids = async () =>
    (await database.read(one, (db) => db.rows('select id from entry where context_id = $1 order by id'))).flat();

  it('leads to the one that takes writes, though another one comes first', async () => {
    expect(await standby.query('select pg_is_in_recovery()')).toEqual([true]);
    await Promise.all([1, 2, 3, 4].map(write));
    expect(await ids()).toEqual([1, 2, 3, 4]);
    expect(await primary.query('select count(*) from entries.entry')).toEqual(['4']);
  });

  it('leads to the standby when that has taken over', async () => {
    const [written] = await primary.query('select pg_current_wal_lsn()');
    await until(
      async () => (await standby.query(`select pg_last_wal_replay_lsn() >= '${String(written)}'`))[0] === true,
      20_000,
    );
    await primary.kill();
    await expect(write(5)).rejects.toMatchObject({ code: 'SVL-0032' });
    await standby.query('select pg_promote()');
    await write(6);
    expect(await ids()).toEqual([1, 2, 3, 4, 6]);
  });

  it('refuses an attribute that it does not know', async () => {
    const url = `postgres://postgres@127.0.0.1:1,127.0.0.1:2/postgres?target_session_attrs=standby`;
    await expect(ShardRegistry.open({ url, migration: { mode: 'none' } })).rejects.toThrow(/standby is not known/);
  });
});
