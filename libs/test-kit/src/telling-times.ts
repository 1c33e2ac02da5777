/** Samples of each case: as many as it takes, within these bounds. */
const FEWEST = 15;
const MOST = 300;

/**
 * Measures cases in turn, by the quickest sample of each: what else the machine does only adds to one, so further samples
 * help against its noise and hide no difference. Ends when the cases are alike.
 * @param ratio of the slowest case to another one from which on the time tells them apart
 * @returns names and times, ms, of the cases that stay quicker than the slowest; empty when the time tells nothing
 */
export async function tellingTimes(
  cases: Readonly<Record<string, () => Promise<void>>>,
  ratio: number,
): Promise<[name: string, ms: number][]> {
  const quickest = new Map<string, number>();
  const telling = (): [string, number][] => {
    const slowest = Math.max(...quickest.values());
    return [...quickest].filter(([, ms]) => slowest / ms >= ratio);
  };
  for (let sample = 0; sample < FEWEST || (sample < MOST && telling().length > 0); sample++)
    for (const [name, run] of Object.entries(cases)) {
      const begin = performance.now();
      await run();
      const ms = performance.now() - begin;
      quickest.set(name, Math.min(quickest.get(name) ?? ms, ms));
    }
  return telling();
}
