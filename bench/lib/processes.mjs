import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import readline from 'node:readline';

/** Clock ticks per second in /proc; the value of every Linux that Node runs on. */
const TICKS = 100;

/**
 * A child process that says when it is ready.
 * @typedef {{ name: string, pid: number, line: string, stop: () => Promise<void> }} Running
 */

/**
 * Starts a program and waits for a line of its output that begins with `ready`.
 * @returns {Promise<Running>}
 */
export async function start(name, file, env) {
  const child = spawn(process.execPath, [file], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (data) => (errors = (errors + data).slice(-4000)));
  const lines = readline.createInterface({ input: child.stdout });
  const line = await Promise.race([
    new Promise((resolve) => lines.on('line', (text) => text.startsWith('ready') && resolve(text))),
    once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended before it was ready: ${errors}`))),
  ]);
  // Log lines are read and dropped: a full pipe would stop the process.
  lines.close();
  child.stdout.resume();
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const gone = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(timer);
  };
  return { name, pid: child.pid, line, stop };
}

/** CPU time of processes so far, in µs; undefined where the system does not tell. */
export function cpuOf(running) {
  try {
    return running
      .map(({ pid }) => {
        const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
        return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1e6;
      })
      .reduce((sum, each) => sum + each, 0);
  } catch {
    return undefined;
  }
}

/** Resident memory of processes in MiB; undefined where the system does not tell. */
export function memoryOf(running) {
  try {
    return running
      .map(({ pid }) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024)
      .reduce((sum, each) => sum + each, 0);
  } catch {
    return undefined;
  }
}
