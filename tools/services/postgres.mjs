import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { SUPERUSER, urlWithLogin } from './credentials.mjs';
import { makeWhole } from './make-whole.mjs';
import { managedServer } from './managed-server.mjs';
import { readNote } from './notes.mjs';
import { findPostgres } from './postgres-program.mjs';
import { hasRoles, PREPARATION_NOTE, prepareRoles } from './postgres-roles.mjs';
import { isAlive, own } from './processes.mjs';
import { isRoot, othersCanReach, unprivilegedAccount } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';
import { openLog } from './small-server.mjs';

const NAME = 'postgres';
/** A whole product with three shards may hold more than a hundred, and tests run several at once. */
const maxConnections = 500;
// Fast, then immediate shutdown; SIGKILL would leave its children behind.
const signals = ['SIGINT', 'SIGQUIT'];
// Libraries and messages must not depend on what happens to be set around us.
const environment = { PATH: process.env.PATH, LC_ALL: 'C', ...(process.env.TZDIR && { TZDIR: process.env.TZDIR }) };

/**
 * Finds or starts PostgreSQL. No client connects without a password; the role of the services is no superuser.
 * @param {{ dataDir: string, durable: boolean, credentials: { postgres: string, postgresSuperuser: string },
 *   say?: (text: string) => void, program?: { bin: string, how: string } }} options durable: false gives up safety against a
 *   power cut, never against the end of a process; say: see {@link managedServer}; program: the one to start, whatever runs
 *   or is installed
 * @returns {Promise<{ url: string, how: string, stop: () => Promise<void> }>}
 */
export async function postgres({ dataDir, durable, credentials, say, program }) {
  if (process.env.DATABASE_URL && !program)
    return { url: process.env.DATABASE_URL, how: 'DATABASE_URL', stop: async () => {} };
  const account = unprivilegedAccount();
  const home = reachableHome(dataDir);
  const { bin, how } = program ?? (await findPostgres(home, account));
  const major = Number(execFileSync(path.join(bin, 'postgres'), ['--version']).toString().match(/\d+/)[0]);
  const folder = path.join(home, `postgres-${major}`); // files belong to one major version
  const cluster = { bin, account, major, folder };
  const urlOf = (port) => urlWithLogin('postgres', credentials.postgres, port, '/postgres');
  await initialise(cluster);

  const launch = async (port) => {
    const child = spawnServer(dataDir, cluster, durable, ['-p', String(port), '-h', '127.0.0.1', '-k', '']);
    const end = child.pid ? own(child.pid, ...signals) : async () => {};
    try {
      // An open port is not enough: PostgreSQL listens while it still answers "the database system is starting up".
      await untilReady(() => isReady(folder, child.pid), child);
    } catch (error) {
      await end();
      throw new Error(`${error.message}; see ${path.join(dataDir, 'postgres.log')}`, { cause: error });
    }
    return child.pid;
  };
  const managed = (pid, port) => managedServer({ dataDir, name: NAME, pid, port, launch, signals, say });

  const running = await runningServer(dataDir, cluster, credentials);
  if (running) {
    const { pid, port, orphan } = running;
    if (!orphan) return { url: urlOf(port), how: 'already running', stop: async () => {} };
    return { url: urlOf(port), how: 'taken over from a launcher that was killed', ...managed(pid, port) };
  }
  await prepareRoles(
    dataDir,
    {
      folder,
      account,
      spawnServer: (args) => spawnServer(dataDir, cluster, durable, args),
      isReady: (pid) => isReady(folder, pid),
    },
    credentials,
  );
  return onFreePort(async (port) => ({ url: urlOf(port), how, ...managed(await launch(port), port) }));
}

/**
 * The folder for files of servers that do not run as root. PostgreSQL refuses to, and the account it runs as instead must reach its
 * files, which it can't in a checkout below root's home. Then the data folder holds a link to a place it can reach.
 */
export function reachableHome(dataDir) {
  if (!isRoot || othersCanReach(dataDir)) return dataDir;
  const link = path.join(dataDir, 'postgres-home');
  const known = fs.existsSync(link) && fs.realpathSync(link);
  if (known) return known;
  const home = path.join('/var/lib', `groupware-${randomBytes(6).toString('hex')}`);
  fs.mkdirSync(home, { recursive: true });
  fs.chmodSync(home, 0o711);
  fs.rmSync(link, { force: true });
  fs.symlinkSync(home, link);
  return home;
}

function initialise({ bin, account, major, folder }) {
  return makeWhole(folder, async (fresh) => {
    fs.mkdirSync(fresh, { mode: 0o700 });
    if (isRoot) fs.chownSync(fresh, account.uid, account.gid);
    // Upper and lower case beyond ASCII without depending on the locales of the machine.
    const locale = major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
    // No client is let in yet: see `prepareRoles`.
    const options = ['--auth=reject', '--encoding=UTF8', '--locale=C', ...locale, '--no-sync', '--no-instructions'];
    await promisify(execFile)(path.join(bin, 'initdb'), ['-D', fresh, '-U', SUPERUSER, ...options], {
      ...account,
      cwd: '/',
      env: environment,
    });
  });
}

/** Reads what PostgreSQL itself says about the server that holds these files. */
function pidFile(folder) {
  try {
    const lines = fs.readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), address: lines[5], ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

const isReady = (folder, pid) => {
  const file = pidFile(folder);
  return file?.pid === pid && file.ready;
};

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]); // PostgreSQL answers one letter to it

/**
 * A server that already holds these files: of another terminal, or left by a launcher that was killed. One that was left and
 * does not ask for our passwords, or only prepared the roles, is ended.
 */
async function runningServer(dataDir, { folder }, credentials) {
  const preparation = readNote(dataDir, PREPARATION_NOTE);
  if (preparation?.orphan) await own(preparation.process.pid, ...signals)();
  const file = pidFile(folder);
  if (!file?.ready || !file.address || !isAlive(file.pid)) return undefined;
  if (!(await answers(file.port, sslRequest, /^[NS]/))) return undefined;
  const note = readNote(dataDir, NAME);
  const orphan = note?.process.pid === file.pid && note.orphan;
  if (orphan && !hasRoles(folder, credentials)) {
    await own(file.pid, ...signals)();
    return undefined;
  }
  return { pid: file.pid, port: file.port, orphan };
}

function spawnServer(dataDir, { bin, account, folder }, durable, args) {
  const settings = [
    `max_connections=${maxConnections}`,
    'timezone=UTC',
    'log_timezone=UTC',
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
  ].flatMap((setting) => ['-c', setting]);
  const log = openLog(dataDir, NAME);
  const child = spawn(
    path.join(bin, 'postgres'),
    ['-D', folder, ...args, ...settings],
    // A group of its own: Ctrl-C must reach the servers after the programs that use them.
    { ...account, stdio: ['ignore', log, log], cwd: '/', env: environment, detached: true },
  );
  fs.closeSync(log);
  child.unref();
  return child;
}
