import { setTimeout as wait } from 'node:timers/promises';
import type { HostProcess } from '../processes';

/** Pause between two looks, ms. */
const PAUSE_MS = 300;
/** A process that takes longer to tell its health hangs, ms. */
const PATIENCE_MS = 5_000;

interface Check {
  readonly name: string;
  readonly status: string;
  readonly data?: { readonly error?: string };
}

/** Answers of `/health` of all processes during a fault. */
export interface HealthReport {
  /** Longest time that an answer took, ms. */
  readonly longestMs: number;
  /** Processes that had not answered within five seconds. */
  readonly silent: ReadonlySet<string>;
  /** Checks that were down at some time. */
  readonly down: ReadonlySet<string>;
  /** Checks that were down when they were asked last, with their process and what they said. */
  readonly stillDown: readonly string[];
}

/**
 * Asks each process for its health until it is told to stop; one that is not there answers nothing, which is the truth.
 * @param patienceMs so long what is down then may take to be well, ms
 */
export async function watchHealth(
  processes: readonly HostProcess[],
  isOver: () => boolean,
  patienceMs: number,
): Promise<HealthReport> {
  const silent = new Set<string>();
  const down = new Set<string>();
  const last = new Map<HostProcess, readonly string[]>();
  let longestMs = 0;
  const look = async (each: HostProcess): Promise<void> => {
    const beganAt = performance.now();
    try {
      const response = await fetch(`${each.internalUrl}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) });
      const { checks } = (await response.json()) as { checks: Check[] };
      const failed = checks.filter(({ status }) => status !== 'UP');
      failed.forEach(({ name }) => down.add(name));
      last.set(
        each,
        failed.map(({ name, data }) => `${name}: ${data?.error}`),
      );
      longestMs = Math.max(longestMs, Math.round(performance.now() - beganAt));
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') silent.add(each.name);
    }
  };
  const watch = async (each: HostProcess): Promise<void> => {
    while (!isOver()) {
      await look(each);
      await wait(PAUSE_MS);
    }
    const latest = performance.now() + patienceMs;
    do await look(each);
    while (last.get(each)?.length && performance.now() < latest && (await wait(PAUSE_MS, true)));
  };
  await Promise.all(processes.map(watch));
  const stillDown = [...last].flatMap(([{ name }, names]) => names.map((check) => `${name}: ${check}`));
  return { longestMs, silent, down, stillDown };
}
