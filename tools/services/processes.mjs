import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** True while a process with this number exists, also when it belongs to another account. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * When a process was started, in a form that can only be compared. Numbers of processes are used again (in containers
 * soon), so a number alone does not name a process.
 * @returns {string | undefined}
 */
export function startMark(pid) {
  try {
    if (process.platform === 'linux') {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]; // field 22; the name before it may hold spaces
    }
    if (process.platform === 'win32') return undefined;
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)])
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

/** Notes what it takes to recognise a process later. */
export const identify = (pid) => ({ pid, started: startMark(pid) });

/** True while exactly this process runs. One that ended runs no more, even if its parent has not asked for its end yet. */
export const isRunning = (identity) =>
  Boolean(identity) && isAlive(identity.pid) && startMark(identity.pid) === identity.started && !isZombie(identity.pid);

// A server that was started here ends with this process however it ends, except by SIGKILL: the notes are for that.
const endWithUs = new Map();
process.on('exit', () => {
  for (const { identity, signal } of endWithUs.values()) if (isRunning(identity)) send(identity.pid, signal);
});

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended meanwhile
  }
}

/**
 * Makes a process end together with this one.
 * @param {number} pid
 * @param {NodeJS.Signals} signal the polite one
 * @param {NodeJS.Signals} [insist] sent when it takes longer than patienceMs
 * @returns {() => Promise<void>} ends the process and waits until it is gone
 */
export function own(pid, signal, insist = 'SIGKILL', patienceMs = 10_000) {
  const identity = identify(pid);
  endWithUs.set(pid, { identity, signal });
  return async () => {
    endWithUs.delete(pid);
    if (!isRunning(identity)) return;
    send(pid, signal);
    const insistAt = Date.now() + patienceMs;
    let insisted = false;
    while (isRunning(identity)) {
      if (!insisted && Date.now() > insistAt) {
        send(pid, insist);
        insisted = true;
      }
      await delay(20);
    }
  };
}

// A child that ended stays in the table until its parent asks; after a take-over the parent may never do. Its ports are free
// when the last of its threads has ended, which may be after the first.
function isZombie(pid) {
  if (process.platform !== 'linux') return false;
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] === 'Z' && fs.readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return true;
  }
}
