import path from 'node:path';
import { findFreePort } from '@groupware/test-kit';
import type { TestEnvironment } from '../test-environment';
import { REFERENCE_MS } from './reference-work.cjs';

/**
 * No input may hold the event loop for longer, ms of CPU time. The product promises half of it on a machine that has the power it
 * is sized for; shared machines that only test it may have half of that.
 */
export const LONGEST_HOLD_MS = 100;
/** Longest hold that the product promises, ms of CPU time: longer ones are told. */
const PROMISED_HOLD_MS = 50;
/** No random call may delay it for longer, ms: on a busy machine others delay it, too. */
export const LONGEST_DELAY_MS = 200;
/** Once a try is short enough, a better one is looked for so long only, ms: some take minutes on a busy machine. */
const BETTER_WITHIN_MS = 20_000;
/** Collecting garbage, or a busy machine's cold caches, may fall into one try: only what is too long each time is the input's own doing. */
const TRIES = 3;

/** A number without labels of the process. */
export async function readMetric({ internalUrl }: Pick<TestEnvironment, 'internalUrl'>, name: string): Promise<number> {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
}

/** Longest delay of the event loop since the metrics were read last, ms. */
export const readDelay = async (world: Pick<TestEnvironment, 'internalUrl'>): Promise<number> =>
  (await readMetric(world, 'nodejs_eventloop_lag_max_seconds')) * 1000;

/**
 * Shortest of the longest times in each of a few tries; the first that is short enough ends them.
 * @param wantedMs what is looked for beyond that, where tries are quick
 */
async function shortestOf(
  [limitMs, wantedMs]: readonly [limitMs: number, wantedMs: number],
  work: () => Promise<unknown>,
  read: () => Promise<number>,
): Promise<number> {
  const begun = performance.now();
  let shortest = Infinity;
  const isShort = () => shortest <= (performance.now() - begun < BETTER_WITHIN_MS ? wantedMs : limitMs);
  for (let attempt = 0; attempt < TRIES && !isShort(); attempt++) {
    await read();
    await work();
    shortest = Math.min(shortest, await read());
  }
  return shortest;
}

/** Longest delay of the event loop that a piece of work leads to each time, ms. */
export const delayOf = (world: Pick<TestEnvironment, 'internalUrl'>, work: () => Promise<unknown>): Promise<number> =>
  shortestOf([LONGEST_DELAY_MS, LONGEST_DELAY_MS], work, () => readDelay(world));

/** Watches how long the event loop of a process of its own is held. */
export class HoldMonitor {
  private constructor(private readonly port: number) {}

  static async prepare(): Promise<HoldMonitor> {
    return new HoldMonitor(await findFreePort());
  }

  /** Environment of the process. */
  get variables(): Record<string, string> {
    return {
      NODE_OPTIONS: `--require ${path.join(__dirname, 'hold-monitor.cjs')}`,
      HOLD_MONITOR_PORT: String(this.port),
    };
  }

  /** Longest time for which a piece of work holds the event loop each time, ms of CPU time of a machine of the usual speed. */
  async holdOf(work: () => Promise<unknown>): Promise<number> {
    const hold = await shortestOf([LONGEST_HOLD_MS, PROMISED_HOLD_MS], work, async () => {
      const heldMs = await this.readTime('/');
      if (heldMs <= LONGEST_HOLD_MS) return heldMs;
      // On a slow machine all holds are longer.
      return heldMs / Math.max(1, (await this.readTime('/reference')) / REFERENCE_MS);
    });
    if (hold > PROMISED_HOLD_MS)
      process.stderr.write(`held ${Math.round(hold)} ms: ${expect.getState().currentTestName}\n`);
    return hold;
  }

  private async readTime(path: string): Promise<number> {
    return Number(await (await fetch(`http://127.0.0.1:${this.port}${path}`)).text());
  }
}
