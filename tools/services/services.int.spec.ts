import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { createConnection } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { programAtHand } from './programs.mjs';
import { discard } from './services.mjs';

// The launcher as a process of its own, so that it can be killed. Unpacked programs are shared with `npm test` itself.
const launcher = path.join(__dirname, 'services.mjs');
const programsDir = path.join(__dirname, '..', '..', '.data', 'tools');
let dataDir: string;
let launched: ChildProcess[] = [];

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'services-'));
  fs.chmodSync(dataDir, 0o711);
  launched = [];
});
afterEach(async () => {
  await Promise.all(launched.map((child) => end(child, 'SIGKILL')));
  await discard(dataDir);
});

interface Servers {
  launcher: ChildProcess;
  how: Record<string, string>;
  urls: Record<string, string>;
}

const start = (environment: Record<string, string> = {}): Promise<Servers> =>
  new Promise((resolve, reject) => {
    const { DATABASE_URL: _1, REDIS_URL: _2, NATS_URL: _3, ...rest } = process.env;
    const child = spawn(process.execPath, [launcher], {
      env: { ...rest, DATA_DIR: dataDir, PROGRAMS_DIR: programsDir, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    launched.push(child);
    const servers: Servers = { launcher: child, how: {}, urls: {} };
    const problems: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => problems.push(line));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const told = /^(\w+): (.*) \(\d+ ms\)$/.exec(line);
      if (told) servers.how[told[1]!] = told[2]!;
      const exported = /^export (\w+)=(.*)$/.exec(line);
      if (exported) servers.urls[exported[1]!] = exported[2]!;
      if (Object.keys(servers.urls).length === 3) resolve(servers);
    });
    child.once('exit', () => reject(new Error(problems.join('\n'))));
  });

const end = (child: ChildProcess, signal: NodeJS.Signals) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill(signal);
  });

const isOpen = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });

const haveServers = programAtHand('apt-get') || (programAtHand('redis-server') && programAtHand('nats-server'));
(haveServers ? describe : describe.skip)('the launcher of servers', () => {
  it('takes over what a killed launcher left, and ends it with itself', async () => {
    const first = await start();
    await end(first.launcher, 'SIGKILL');
    const second = await start();
    expect(second.urls).toEqual(first.urls);
    expect(Object.values(second.how)).toEqual(Array(3).fill('taken over from a launcher that was killed'));
    await end(second.launcher, 'SIGTERM');
    expect(await Promise.all(Object.values(second.urls).map(isOpen))).toEqual([false, false, false]);
  });

  it('uses the servers of a launcher that runs, and leaves them to it', async () => {
    const owner = await start();
    const guest = await start();
    expect(guest.urls).toEqual(owner.urls);
    await end(guest.launcher, 'SIGTERM');
    expect(await Promise.all(Object.values(owner.urls).map(isOpen))).toEqual([true, true, true]);
    await end(owner.launcher, 'SIGTERM');
    expect(await Promise.all(Object.values(owner.urls).map(isOpen))).toEqual([false, false, false]);
  });

  it('prefers the addresses in the environment and starts nothing for them', async () => {
    const urls = { DATABASE_URL: 'postgres://db', REDIS_URL: 'redis://cache', NATS_URL: 'nats://bus' };
    const { how } = await start(urls);
    expect(how).toEqual({ postgres: 'DATABASE_URL', redis: 'REDIS_URL', nats: 'NATS_URL' });
    expect(fs.readdirSync(dataDir)).toEqual([]);
  });

  it('stops the others when one is missing, and names the ways out', async () => {
    const nothing = path.join(dataDir, 'no-programs-here');
    await expect(
      start({ PATH: nothing, GROUPWARE_IGNORE_INSTALLED: 'true', PROGRAMS_DIR: nothing, DPKG_STATUS: nothing }),
    ).rejects.toThrow(/redis-server was not found[^]*apt-get install redis-server[^]*brew install redis[^]*REDIS_URL/);
    expect(fs.existsSync(path.join(dataDir, 'postgres.note.json'))).toBe(false);
  });
});
