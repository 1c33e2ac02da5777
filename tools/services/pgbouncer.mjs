import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { debianProgram } from './debian.mjs';
import { giveTree, isRoot, programAtHand, unprivilegedAccount } from './programs.mjs';
import { answers, onFreePort, untilReady } from './readiness.mjs';

/** The request for TLS, which a server answers with S or N. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** True where a PgBouncer is at hand or can be unpacked. */
export const hasPgbouncer = Boolean(programAtHand('pgbouncer') || programAtHand('apt-get'));

/**
 * Starts a PgBouncer in transaction mode before a server, for the login of its address.
 * @param {string} programsDir where unpacked packages are kept
 * @param {string} serverUrl
 * @returns {Promise<{ url: (database: string) => string, restart: () => Promise<void>, stop: () => Promise<void> }>}
 */
export async function startPgbouncer(programsDir, serverUrl) {
  const installed = programAtHand('pgbouncer');
  const { file, env } = installed
    ? { file: installed, env: process.env }
    : await debianProgram(programsDir, 'pgbouncer', ['pgbouncer']);
  const server = new URL(serverUrl);
  const account = unprivilegedAccount();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pgbouncer-'));
  const users = path.join(folder, 'users');
  fs.writeFileSync(users, `"${server.username}" "${server.password}"\n`);

  const run = async (port) => {
    const configuration = path.join(folder, 'pgbouncer.ini');
    fs.writeFileSync(
      configuration,
      [
        '[databases]',
        `* = host=${server.hostname} port=${server.port}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = scram-sha-256',
        `auth_file = ${users}`,
        'pool_mode = transaction',
        'default_pool_size = 10',
        'max_client_conn = 500',
      ].join('\n'),
    );
    if (isRoot) giveTree(folder, account);
    const child = spawn(file, [configuration], { env, stdio: 'ignore', ...account });
    await untilReady(() => answers(port, SSL_REQUEST, /^[SN]/), child);
    return { child, port };
  };
  const { port, ...first } = await onFreePort(run);
  let { child } = first;
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return {
    url: (database) => Object.assign(new URL(serverUrl), { host: `127.0.0.1:${port}`, pathname: `/${database}` }).href,
    restart: async () => {
      await kill();
      ({ child } = await run(port));
    },
    stop: async () => {
      await kill();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
