/** Parts of a time-out: a hold of the event loop counts as one of them, however long it is. */
const PARTS = 10;

/**
 * Waits for work, of which only the time counts in which this process could hear an answer: a server is not away because the event
 * loop was held while its answer lay there.
 * @throws when it takes longer than `timeoutMs`, and what the work throws
 */
export async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const wait = (parts: number): void => {
      if (parts === 0) return reject(new Error(`no answer within ${timeoutMs} ms`));
      timer = setTimeout(() => wait(parts - 1), timeoutMs / PARTS);
    };
    wait(PARTS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
