import type { World } from '../world';

/** No input may hold the event loop for longer, ms. A request of its own should stay below a quarter of it. */
export const LONGEST_DELAY_MS = 200;
/** A busy machine delays an event loop as well: only what is too long each time is the input's own doing. */
const TRIES = 3;

/** A number without labels of the process. */
export async function readMetric({ internalUrl }: Pick<World, 'internalUrl'>, name: string): Promise<number> {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
}

/** Longest delay of the event loop since the metrics were read last, ms. */
export const readDelay = async (world: Pick<World, 'internalUrl'>): Promise<number> =>
  (await readMetric(world, 'nodejs_eventloop_lag_max_seconds')) * 1000;

/** Shortest of the longest delays that the event loop had in each of a few tries, ms; the first that is short enough ends them. */
export async function delayOf(world: Pick<World, 'internalUrl'>, work: () => Promise<unknown>): Promise<number> {
  let shortest = Infinity;
  for (let attempt = 0; attempt < TRIES && shortest > LONGEST_DELAY_MS; attempt++) {
    await readDelay(world);
    await work();
    shortest = Math.min(shortest, await readDelay(world));
  }
  return shortest;
}
