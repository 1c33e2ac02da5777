import fs from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { HealthCheck } from './health-checks';

const NANOSECONDS_PER_MS = 1e6;
/** Turns of the event loop from which on there is a typical one. */
const FEWEST_TURNS = 3;

/**
 * Fails when half of the turns of the event loop since the last look were late by more than the limit: the process has more
 * to do than it can. One long turn after a look says nothing of the kind: of too few turns the next look judges with its own.
 * `stop` ends the measurement.
 * @param maxMs longest delay, ms
 */
export function createEventLoopCheck(maxMs: number): { check: HealthCheck; stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: 50 });
  delay.enable();
  let typical = 0;
  const check = (): Promise<void> => {
    if (delay.count >= FEWEST_TURNS) {
      typical = delay.percentile(50) / NANOSECONDS_PER_MS;
      delay.reset();
    }
    return typical > maxMs
      ? Promise.reject(new Error(`the event loop is late by ${Math.round(typical)} ms`))
      : Promise.resolve();
  };
  return { check, stop: () => void delay.disable() };
}

/** The folder, or the nearest one above it that exists already. */
async function findExistingFolder(folder: string): Promise<string> {
  try {
    await fs.access(folder);
    return folder;
  } catch {
    return findExistingFolder(path.dirname(folder));
  }
}

/** Fails when the disk of a folder has less room than the limit, bytes. */
export const createDiskCheck = (folder: string, minBytes: number) => async (): Promise<void> => {
  const { bavail, bsize } = await fs.statfs(await findExistingFolder(path.resolve(folder)));
  const free = bavail * bsize;
  if (free < minBytes) throw new Error(`only ${Math.floor(free / 1024 / 1024)} MiB are free`);
};
