import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { debianProgram } from './debian.mjs';
import { leaveNote, readNote, removeNote } from './notes.mjs';
import { disown, own } from './processes.mjs';
import { programAtHand } from './programs.mjs';
import { onFreePort, untilReady } from './readiness.mjs';

/**
 * Finds or starts a server that is one program with one data folder.
 * @param {{ program: string, packages: string[], brew: string, variable: string, scheme: string, composeService: string,
 *   isReady: (port: number) => Promise<boolean>, args: (port: number, folder: string) => string[] }} kind
 * @param {{ dataDir: string, programsDir: string }} places
 * @returns {Promise<{ url: string, how: string, stop: () => Promise<void> }>}
 */
export async function smallServer(kind, { dataDir, programsDir }) {
  const { program, variable, scheme, isReady } = kind;
  if (process.env[variable]) return { url: process.env[variable], how: variable, stop: async () => {} };
  const urlOf = (port) => `${scheme}://127.0.0.1:${port}`;

  const left = readNote(dataDir, program);
  if (left && (await isReady(left.port))) {
    if (!left.orphan) return { url: urlOf(left.port), how: 'already running', stop: async () => {} };
    leaveNote(dataDir, program, left.process.pid, { port: left.port });
    const how = 'taken over from a launcher that was killed';
    return { url: urlOf(left.port), how, stop: stopper(dataDir, program, left.process.pid) };
  }

  const { file, env, how } = await findProgram(kind, programsDir);
  const folder = path.join(dataDir, program);
  fs.mkdirSync(folder, { recursive: true });
  return onFreePort(async (port) => {
    const log = fs.openSync(path.join(dataDir, `${program}.log`), 'a');
    // A group of its own: Ctrl-C must reach the servers after the programs that use them.
    const child = spawn(file, kind.args(port, folder), { env, stdio: ['ignore', log, log], detached: true });
    fs.closeSync(log);
    const stop = child.pid ? stopper(dataDir, program, child.pid) : async () => {};
    child.once('exit', () => disown(child.pid));
    child.unref();
    try {
      await untilReady(() => isReady(port), child);
    } catch (error) {
      await stop();
      throw new Error(`${error.message}; see ${path.join(dataDir, `${program}.log`)}`, { cause: error });
    }
    leaveNote(dataDir, program, child.pid, { port });
    return { url: urlOf(port), how, stop };
  });
}

async function findProgram({ program, packages, brew, variable, composeService }, programsDir) {
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
      `  docker compose -f docker/compose.yaml up -d ${composeService}, then set ${variable}`,
    ].join('\n'),
  );
}

function stopper(dataDir, program, pid) {
  const end = own(pid, 'SIGTERM');
  return async () => {
    await end();
    removeNote(dataDir, program);
  };
}
