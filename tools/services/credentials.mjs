import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Login of the services at Postgres, Redis and NATS. At Postgres it is no superuser and may make databases of its own. */
export const LOGIN = 'groupware';

/** Superuser of Postgres, for this launcher and the operator only. */
export const SUPERUSER = 'postgres';

const NAMES = ['postgresSuperuser', 'postgres', 'redisAdministrator', 'redis', 'nats'];

/**
 * Passwords of the servers of a data folder: made once, kept in `servers.json`, which only its owner can read. Two launchers
 * that begin together get the same ones.
 * @param {string} dataDir must exist
 * @returns {{ postgresSuperuser: string, postgres: string, redisAdministrator: string, redis: string, nats: string }} letters,
 *   digits, `-` and `_` only
 */
export function serverCredentials(dataDir) {
  const file = path.join(dataDir, 'servers.json');
  if (!fs.existsSync(file)) {
    const password = () => randomBytes(24).toString('base64url');
    const made = Object.fromEntries(NAMES.map((name) => [name, password()]));
    const partial = `${file}.${process.pid}`;
    fs.writeFileSync(partial, JSON.stringify(made, undefined, 2), { mode: 0o600 });
    try {
      fs.linkSync(partial, file); // fails when another launcher was faster
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    } finally {
      fs.rmSync(partial, { force: true });
    }
  }
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Address of a server of this machine with the login of the services. */
export const urlWithLogin = (scheme, password, port, pathname = '') =>
  `${scheme}://${LOGIN}:${password}@127.0.0.1:${port}${pathname}`;

/** Makes a folder that only its owner can read, whatever its mode was before. */
export function privateFolder(folder) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.chmodSync(folder, 0o700);
}

/** Writes a file that only its owner can read, as a whole or not at all. */
export function writePrivateFile(file, text) {
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600 });
  fs.chmodSync(`${file}.new`, 0o600);
  fs.renameSync(`${file}.new`, file);
}
