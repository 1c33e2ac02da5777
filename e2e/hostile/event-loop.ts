import path from 'node:path';
import { findFreePort } from '@groupware/test-kit';
import type { TestEnvironment } from '../test-environment';

/**
 * No input may hold the event loop for longer, ms of CPU time. The product promises half of it on a machine that has the power it
 * is sized for; shared machines that only test it may have half of that.
 */
export const LONGEST_HOLD_MS = 100;
/** Longest hold that the product promises, ms of CPU time: longer ones are told. */
const PROMISED_HOLD_MS = 50;
/** No random call may delay it for longer, ms: on a busy machine others delay it, too. */
export const LONGEST_DELAY_MS = 200;
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

/** Shortest of the longest times in each of a few tries; the first that is short enough ends them. */
async function shortestOf(limitMs: number, work: () => Promise<unknown>, read: () => Promise<number>): Promise<number> {
  let shortest = Infinity;
  for (let attempt = 0; attempt < TRIES && shortest > limitMs; attempt++) {
    await read();
    await work();
    shortest = Math.min(shortest, await read());
  }
  return shortest;
}

/** Longest delay of the event loop that a piece of work leads to each time, ms. */
export const delayOf = (world: Pick<TestEnvironment, 'internalUrl'>, work: () => Promise<unknown>): Promise<number> =>
  shortestOf(LONGEST_DELAY_MS, work, () => readDelay(world));

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

  /** Longest time for which a piece of work holds the event loop each time, ms of CPU time. */
  async holdOf(work: () => Promise<unknown>): Promise<number> {
    const hold = await shortestOf(PROMISED_HOLD_MS, work, async () =>
      Number(await (await fetch(`http://127.0.0.1:${this.port}/`)).text()),
    );
    if (hold > PROMISED_HOLD_MS)
      process.stderr.write(`held ${Math.round(hold)} ms: ${expect.getState().currentTestName}\n`);
    return hold;
  }
}
