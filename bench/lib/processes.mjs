import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Clock ticks per second in /proc; the value of every Linux that Node runs on. */
const TICKS = 100;

/**
 * A child process that says when it is ready.
 * @typedef {{ name: string, pid: number, line: string, output: string, stop: () => Promise<void> }} Running output: the
 *   file that it writes to
 */

/**
 * Starts a program and waits for a line of its output that begins with `ready`. The output goes to a file, as it would in
 * a deployment: a pipe would make the load generator work on it.
 * @returns {Promise<Running>}
 */
export async function start(name, file, env, nodeOptions = []) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-bench-log-'));
  const output = path.join(dir, 'output');
  const fd = fs.openSync(output, 'w');
  const child = spawn(process.execPath, [...nodeOptions, file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', fd, fd],
  });
  fs.closeSync(fd);
  let ended = false;
  const exit = once(child, 'exit').then(() => (ended = true));
  const stop = async () => {
    if (!ended) child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exit;
    clearTimeout(timer);
    fs.rmSync(dir, { recursive: true, force: true });
  };
  for (;;) {
    const text = fs.readFileSync(output, 'utf8');
    const line = /^ready.*$/m.exec(text)?.[0];
    if (line !== undefined && text.includes(`${line}\n`)) return { name, pid: child.pid, line, output, stop };
    if (ended) {
      await stop();
      throw new Error(`${name} ended before it was ready: ${text.slice(-4000)}`);
    }
    await wait(20);
  }
}

/** Fields of /proc/<pid>/stat behind the name: user and system time of the process, and of children that ended. */
const [OWN, ENDED] = [
  [11, 12],
  [13, 14],
];

/** CPU time of processes so far, in µs; undefined where the system does not tell. */
export function cpuOf(running, counted = OWN) {
  try {
    return running
      .map(({ pid }) => {
        const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
        return (counted.reduce((sum, field) => sum + Number(fields[field]), 0) / TICKS) * 1e6;
      })
      .reduce((sum, each) => sum + each, 0);
  } catch {
    return undefined;
  }
}

/** CPU time so far of a process and its children, also those that ended, the threads of all included, in µs. */
export function cpuOfTree(pid) {
  const children = fs.readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const text = fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
  return [pid, ...children].reduce((sum, each) => sum + (cpuOf([{ pid: each }], [...OWN, ...ENDED]) ?? 0), 0);
}

/** Highest resident memory of processes so far, in MiB. */
export const peakMemoryOf = (running) => memoryOf(running, /VmHWM:\s+(\d+)/);

/** Resident memory of processes in MiB; undefined where the system does not tell. */
export function memoryOf(running, field = /VmRSS:\s+(\d+)/) {
  try {
    return running
      .map(({ pid }) => Number(field.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024)
      .reduce((sum, each) => sum + each, 0);
  } catch {
    return undefined;
  }
}
