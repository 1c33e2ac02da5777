import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeWhole } from './make-whole.mjs';
import { leaveNote, readNote, removeNote } from './notes.mjs';
import { findPostgres } from './postgres-program.mjs';
import { disown, isAlive, own } from './processes.mjs';
import { isRoot, othersCanReach, unprivilegedAccount } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';

const user = 'groupware';
const maxConnections = 200;
// Libraries and messages must not depend on what happens to be set around us.
const environment = { PATH: process.env.PATH, LC_ALL: 'C', ...(process.env.TZDIR && { TZDIR: process.env.TZDIR }) };

/**
 * Finds or starts PostgreSQL.
 * @param {{ dataDir: string, durable: boolean }} options durable: false gives up safety against a power cut, never against
 *   the end of a process
 * @returns {Promise<{ url: string, how: string, stop: () => Promise<void> }>}
 */
export async function postgres({ dataDir, durable }) {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, how: 'DATABASE_URL', stop: async () => {} };
  const account = unprivilegedAccount();
  const home = reachableHome(dataDir);
  const { bin, how } = await findPostgres(home, account);
  const major = Number(execFileSync(path.join(bin, 'postgres'), ['--version']).toString().match(/\d+/)[0]);
  const cluster = { bin, account, major, folder: path.join(home, `postgres-${major}`) }; // files belong to one major version
  await initialise(cluster);
  return (await runningServer(dataDir, cluster)) ?? { ...(await start(dataDir, cluster, durable)), how };
}

const urlOf = (port) => `postgres://${user}@127.0.0.1:${port}/postgres`;

/**
 * The folder for PostgreSQL's files. PostgreSQL refuses to run as root, and the account it runs as instead must reach its
 * files, which it can't in a checkout below root's home. Then the data folder holds a link to a place it can reach.
 */
function reachableHome(dataDir) {
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
    const options = ['--auth=trust', '--encoding=UTF8', '--locale=C', ...locale, '--no-sync', '--no-instructions'];
    await promisify(execFile)(path.join(bin, 'initdb'), ['-D', fresh, '-U', user, ...options], {
      ...account,
      cwd: '/',
      env: environment,
    });
  });
}

/** What PostgreSQL itself says about the server that holds these files. */
function pidFile(folder) {
  try {
    const lines = fs.readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]); // PostgreSQL answers one letter to it

/** A server that already holds these files: of another terminal, or left by a launcher that was killed. */
async function runningServer(dataDir, { folder }) {
  const file = pidFile(folder);
  if (!file?.ready || !isAlive(file.pid) || !(await answers(file.port, sslRequest, /^[NS]/))) return undefined;
  const note = readNote(dataDir, 'postgres');
  if (note?.process.pid === file.pid && note.orphan) {
    leaveNote(dataDir, 'postgres', file.pid, { port: file.port });
    return {
      url: urlOf(file.port),
      how: 'taken over from a launcher that was killed',
      stop: stopper(dataDir, file.pid),
    };
  }
  return { url: urlOf(file.port), how: 'already running', stop: async () => {} };
}

function start(dataDir, { bin, account, folder }, durable) {
  const settings = [
    `max_connections=${maxConnections}`,
    'timezone=UTC',
    'log_timezone=UTC',
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
  ].flatMap((setting) => ['-c', setting]);
  return onFreePort(async (port) => {
    const log = fs.openSync(path.join(dataDir, 'postgres.log'), 'a');
    const child = spawn(
      path.join(bin, 'postgres'),
      ['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', '', ...settings],
      // A group of its own: Ctrl-C must reach the servers after the programs that use them.
      { ...account, stdio: ['ignore', log, log], cwd: '/', env: environment, detached: true },
    );
    fs.closeSync(log);
    const stop = child.pid ? stopper(dataDir, child.pid) : async () => {};
    child.once('exit', () => disown(child.pid));
    child.unref();
    try {
      // An open port is not enough: PostgreSQL listens while it still answers "the database system is starting up".
      await untilReady(() => pidFile(folder)?.pid === child.pid && pidFile(folder).ready, child);
    } catch (error) {
      await stop();
      throw new Error(`${error.message}; see ${path.join(dataDir, 'postgres.log')}`, { cause: error });
    }
    leaveNote(dataDir, 'postgres', child.pid, { port });
    return { url: urlOf(port), stop };
  });
}

function stopper(dataDir, pid) {
  const end = own(pid, 'SIGINT', 'SIGQUIT'); // fast, then immediate shutdown; SIGKILL would leave its children behind
  return async () => {
    await end();
    removeNote(dataDir, 'postgres');
  };
}
