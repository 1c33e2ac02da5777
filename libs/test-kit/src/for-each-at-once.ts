/**
 * Works on all items, on so many at once; the first failure is thrown.
 * @param work also gets the number of its lane, from 0, which works on one item after the other
 */
export async function forEachAtOnce<T>(
  width: number,
  items: Iterable<T>,
  work: (item: T, lane: number) => Promise<void>,
): Promise<void> {
  const queue = [...items].values();
  const runLane = async (lane: number): Promise<void> => {
    for (const item of queue) await work(item, lane);
  };
  await Promise.all(Array.from({ length: width }, (_, lane) => runLane(lane)));
}
