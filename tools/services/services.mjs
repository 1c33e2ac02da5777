import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { serverCredentials } from './credentials.mjs';
import { nats } from './nats.mjs';
import { notedNames, readNote } from './notes.mjs';
import { postgres } from './postgres.mjs';
import { isRunning, own } from './processes.mjs';
import { redis } from './redis.mjs';

/**
 * Finds or starts the three servers that the system needs, all state below one folder. For each, in this order: its URL in
 * the environment, a program at hand, one that is unpacked for us, a refusal that names the ways out. Those that are started
 * ask for passwords, which are made once and kept in the folder.
 * @param {string} dataDir is made when missing
 * @param {{ programsDir?: string, durable?: boolean, say?: (text: string) => void }} [options] programsDir: where unpacked
 *   programs are kept, so that several data folders can share them; durable: false for tests; say: servers that end by
 *   themselves are started again, and this is told about it
 * @returns {Promise<{ all: { name: string, url: string, how: string, ms: number }[],
 *   env: { DATABASE_URL: string, REDIS_URL: string, NATS_URL: string }, stop: () => Promise<void> }>} stop ends what was
 *   started here, and nothing else
 */
export async function startAll(dataDir, { programsDir = path.join(dataDir, 'tools'), durable = true, say } = {}) {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  closeToOthers(dataDir);
  const credentials = needsCredentials() ? serverCredentials(dataDir) : {};
  const options = {
    ...{ dataDir: path.resolve(dataDir), programsDir: path.resolve(programsDir) },
    ...{ durable, credentials, say },
  };
  const launched = await Promise.allSettled(
    Object.entries({ postgres, redis, nats }).map(async ([name, launch]) => {
      const began = performance.now();
      const server = await launch(options);
      return { name, ms: Math.round(performance.now() - began), ...server };
    }),
  );
  const all = launched.flatMap(({ value }) => (value ? [value] : []));
  const stop = async () => void (await Promise.all(all.map((server) => server.stop())));
  const failures = launched.flatMap(({ reason }) => (reason ? [reason.message] : []));
  if (failures.length) {
    await stop();
    throw new Error(failures.join('\n'));
  }
  const [database, sessions, bus] = all;
  return { all, env: { DATABASE_URL: database.url, REDIS_URL: sessions.url, NATS_URL: bus.url }, stop };
}

const needsCredentials = () => ['DATABASE_URL', 'REDIS_URL', 'NATS_URL'].some((name) => !process.env[name]);

/** Others may pass the data folder (the account of PostgreSQL has to, when we are root), but not look into it. */
function closeToOthers(dataDir) {
  const { mode, uid } = fs.statSync(dataDir);
  if (uid === process.getuid?.()) fs.chmodSync(dataDir, mode & 0o711);
}

/**
 * Removes a data folder together with servers that a killed launcher left in it.
 * @returns {Promise<boolean>} false when a launcher that still runs uses the folder
 */
export async function discard(dataDir) {
  const notes = notedNames(dataDir).flatMap((name) => readNote(dataDir, name) ?? []);
  if (notes.some((note) => !note.orphan && note.launcher.pid !== process.pid)) return false;
  for (const note of notes) if (isRunning(note.process)) await own(note.process.pid, 'SIGTERM', 'SIGQUIT')();
  for (const elsewhere of ['postgres-home', 'dovecot-run'].map((name) => path.join(dataDir, name)))
    if (fs.existsSync(elsewhere)) fs.rmSync(fs.realpathSync(elsewhere), { recursive: true, force: true });
  fs.rmSync(dataDir, { recursive: true, force: true });
  return true;
}

// No top-level await: it would keep Jest from loading this file.
async function main() {
  const asked = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve);
  });
  const forever = setInterval(() => {}, 2 ** 30);
  try {
    const programsDir = process.env.PROGRAMS_DIR && path.resolve(process.env.PROGRAMS_DIR);
    const servers = await startAll(path.resolve(process.env.DATA_DIR ?? '.data'), {
      ...(programsDir && { programsDir }),
      say: (text) => console.error(`services: ${text}`),
    });
    for (const { name, how, ms } of servers.all) console.log(`${name}: ${how} (${ms} ms)`);
    // For a developer to paste into a terminal: with passwords, therefore never for a log.
    for (const [name, value] of Object.entries(servers.env)) console.log(`export ${name}=${value}`);
    await asked;
    await servers.stop();
  } finally {
    clearInterval(forever);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
