import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { privateFolder, urlWithLogin, writePrivateFile } from './credentials.mjs';
import { debianProgram } from './debian.mjs';
import { managedServer } from './managed-server.mjs';
import { readNote } from './notes.mjs';
import { own } from './processes.mjs';
import { programAtHand } from './programs.mjs';
import { onFreePort, untilReady } from './readiness.mjs';

/**
 * Finds or starts a server that is one program with one configuration file and one data folder.
 * @param {{ program: string, packages: string[], brew: string, variable: string, scheme: string,
 *   password: string, isReady: (port: number) => Promise<boolean>, configure: (port: number, folder: string) => string,
 *   args: (file: string) => string[] }} kind isReady: also false for a server that does not know our password; configure:
 *   the configuration, which holds the password and therefore never stands on the command line; args: of the program, given
 *   the file of the configuration
 * @param {{ dataDir: string, programsDir: string, say?: (text: string) => void }} places say: see {@link managedServer}
 * @returns {Promise<{ url: string, how: string, stop: () => Promise<void> }>}
 */
export async function smallServer(kind, { dataDir, programsDir, say }) {
  const { program, variable, scheme, password, isReady } = kind;
  if (process.env[variable]) return { url: process.env[variable], how: variable, stop: async () => {} };
  const urlOf = (port) => urlWithLogin(scheme, password, port);
  const folder = path.join(dataDir, program);
  const found = () => findProgram(kind, programsDir);

  const launch = async (port, { file, env }) => {
    privateFolder(folder);
    const configuration = path.join(folder, `${program}.conf`);
    writePrivateFile(configuration, kind.configure(port, folder));
    const log = openLog(dataDir, program);
    // A group of its own: Ctrl-C must reach the servers after the programs that use them.
    const child = spawn(file, kind.args(configuration), { env, stdio: ['ignore', log, log], detached: true });
    fs.closeSync(log);
    child.unref();
    const end = child.pid ? own(child.pid, 'SIGTERM') : async () => {};
    try {
      await untilReady(() => isReady(port), child);
    } catch (error) {
      await end();
      throw new Error(`${error.message}; see ${path.join(dataDir, `${program}.log`)}`, { cause: error });
    }
    return child.pid;
  };
  const managed = (pid, port) =>
    managedServer({
      ...{ dataDir, name: program, pid, port, say, signals: ['SIGTERM'] },
      launch: async (samePort) => launch(samePort, await found()),
    });

  const left = readNote(dataDir, program);
  if (left && (await isReady(left.port))) {
    if (!left.orphan) return { url: urlOf(left.port), how: 'already running', stop: async () => {} };
    const how = 'taken over from a launcher that was killed';
    return { url: urlOf(left.port), how, ...managed(left.process.pid, left.port) };
  }
  // Left by a launcher of a version that gave no passwords, or not answering any more: it holds the files.
  if (left?.orphan) await own(left.process.pid, 'SIGTERM')();

  const runnable = await found();
  return onFreePort(async (port) => ({
    url: urlOf(port),
    how: runnable.how,
    ...managed(await launch(port, runnable), port),
  }));
}

/** Opens the log of a server to append to it; only its owner can read it. */
export function openLog(dataDir, name) {
  const file = path.join(dataDir, `${name}.log`);
  const log = fs.openSync(file, 'a', 0o600);
  fs.fchmodSync(log, 0o600);
  return log;
}

async function findProgram({ program, packages, brew, variable }, programsDir) {
  const installed = process.env.GROUPWARE_IGNORE_INSTALLED ? undefined : programAtHand(program);
  if (installed) return { file: installed, env: process.env, how: 'an installed program' };
  let reason = '';
  try {
    const unpacked = await debianProgram(programsDir, program, packages);
    if (unpacked) return { ...unpacked, how: 'an unpacked Debian package' };
  } catch (error) {
    reason = `Its Debian package could not be used: ${error.message}`;
  }
  throw new Error(
    [
      `${program} was not found. ${reason}`.trim(),
      'One of these will do:',
      `  apt-get install ${packages.join(' ')}      (Debian, Ubuntu)`,
      `  brew install ${brew}              (macOS)`,
      `  a server that runs elsewhere, named by ${variable}`,
    ].join('\n'),
  );
}
