import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from '../services/managed-server.mjs';
import { leaveNote, readNote, removeNote } from '../services/notes.mjs';
import { own } from '../services/processes.mjs';
import { NODE_OPTIONS } from './node-options.mjs';
import { root } from './workspace.mjs';

const preload = path.join(root, 'tools', 'launch', 'end-with-launcher.cjs');
const main = path.join(root, 'apps', 'host', 'dist', 'main.js');

/**
 * Runs the host in a process of its own and passes its output on. Once it has been ready, it is started again whenever it
 * ends by itself, on the same ports.
 * @param {string} dataDir
 * @param {Record<string, string>} env
 * @param {(publicUrl: string, internalUrl: string) => void} onReady after the first line `ready <public-url> <internal-url>`
 * @param {(text: string) => void} say is told when it ended, and what follows
 * @returns {{ failed: Promise<string>, stop: () => Promise<void> }} failed: why it ended before it was ready for the first
 *   time
 */
export function startHost(dataDir, env, onReady, say) {
  const pausing = new AbortController();
  const backoff = new Backoff();
  const ports = {};
  let current;
  let fail;
  const failed = new Promise((resolve) => (fail = resolve));

  const spawnHost = () => {
    current = startProcess(dataDir, { ...env, ...ports }, (publicUrl, internalUrl) => {
      backoff.started();
      if (ports.INTERNAL_PORT) return say(`the host runs again (process ${current.pid})`);
      if (publicUrl !== '-') ports.PORT = new URL(publicUrl).port;
      ports.INTERNAL_PORT = new URL(internalUrl).port;
      onReady(publicUrl, internalUrl);
    });
  };
  const watch = async () => {
    for (;;) {
      const reason = await current.ended;
      if (pausing.signal.aborted) return;
      if (!ports.INTERNAL_PORT) return fail(reason);
      const wait = backoff.next();
      say(`${reason}; starting it again${wait ? ` in ${wait} ms` : ''}`);
      await delay(wait, undefined, { signal: pausing.signal }).catch(() => undefined);
      if (pausing.signal.aborted) return;
      spawnHost();
    }
  };

  spawnHost();
  const watching = watch();
  return {
    failed,
    stop: async () => {
      pausing.abort();
      await current.end();
      await watching;
      removeNote(dataDir, 'host');
    },
  };
}

function startProcess(dataDir, env, onReady) {
  const child = spawn(process.execPath, [...NODE_OPTIONS, '--require', preload, main], {
    cwd: root,
    // No balancer stands in front of one machine's only process.
    env: { GROUPWARE_LEAVE_PAUSE_MS: '0', GROUPWARE_LEAVE_LINGER_MS: '0', ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: true, // Ctrl-C reaches it through us, once
  });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(`the host could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(`the host ended with ${signal ?? `code ${code}`}`));
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    const [word, publicUrl, internalUrl] = line.split(' ');
    if (word === 'ready' && internalUrl) onReady(publicUrl, internalUrl);
  });
  if (!child.pid) return { ended, end: async () => {} };
  leaveNote(dataDir, 'host', child.pid);
  const end = own(child.pid, 'SIGTERM', 'SIGKILL', 60_000);
  return { pid: child.pid, ended, end: async () => void (await Promise.all([end(), ended])) };
}

/** Waits for, and at last ends, a host whose launcher was killed. */
export async function endLeftHost(dataDir) {
  const left = readNote(dataDir, 'host');
  if (!left?.orphan) return false;
  await Promise.race([own(left.process.pid, 'SIGTERM')(), delay(30_000, undefined, { ref: false })]);
  removeNote(dataDir, 'host');
  return true;
}
