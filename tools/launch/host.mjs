import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { leaveNote, readNote, removeNote } from '../services/notes.mjs';
import { own } from '../services/processes.mjs';
import { NODE_OPTIONS } from './node-options.mjs';
import { root } from './workspace.mjs';

const preload = path.join(root, 'tools', 'launch', 'end-with-launcher.cjs');
const main = path.join(root, 'apps', 'host', 'dist', 'main.js');

/**
 * Starts the host in a process of its own and passes its output on.
 * @param {string} dataDir
 * @param {Record<string, string>} env
 * @param {(publicUrl: string, internalUrl: string) => void} onReady after its line `ready <public-url> <internal-url>`
 * @returns {{ ended: Promise<string | undefined>, stop: () => Promise<void> }} ended: the reason, or undefined for success
 */
export function startHost(dataDir, env, onReady) {
  const child = spawn(process.execPath, [...NODE_OPTIONS, '--require', preload, main], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: true, // Ctrl-C reaches it through us, once
  });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(`the host could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(code === 0 ? undefined : `the host ended with ${signal ?? `code ${code}`}`),
    );
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    const [word, publicUrl, internalUrl] = line.split(' ');
    if (word === 'ready' && internalUrl) onReady(publicUrl, internalUrl);
  });
  if (child.pid) leaveNote(dataDir, 'host', child.pid);
  const end = child.pid ? own(child.pid, 'SIGTERM', 'SIGKILL', 60_000) : async () => {};
  const stop = async () => {
    await Promise.all([end(), ended]);
    removeNote(dataDir, 'host');
  };
  return { ended, stop };
}

/** Waits for, and at last ends, a host whose launcher was killed. */
export async function endLeftHost(dataDir) {
  const left = readNote(dataDir, 'host');
  if (!left?.orphan) return false;
  await Promise.race([own(left.process.pid, 'SIGTERM')(), delay(30_000, undefined, { ref: false })]);
  removeNote(dataDir, 'host');
  return true;
}
