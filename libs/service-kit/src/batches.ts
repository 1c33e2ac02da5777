/**
 * Stores entries in batches. The next entries are read while the last ones are stored; never more than one batch is under way, so
 * memory does not grow with their number.
 */
export async function storeInBatches<E>(
  entries: AsyncIterable<E>,
  size: number,
  store: (batch: readonly E[]) => Promise<void>,
): Promise<void> {
  let batch: E[] = [];
  let storing = Promise.resolve();
  const flush = async (): Promise<void> => {
    await storing;
    const full = batch;
    batch = [];
    storing = store(full);
    // The next waiting call gets the error.
    storing.catch(() => undefined);
  };
  try {
    for await (const entry of entries) {
      batch.push(entry);
      if (batch.length >= size) await flush();
    }
    if (batch.length > 0) await flush();
  } finally {
    await storing;
  }
}

/**
 * Stores a batch as a whole, or by halves where that fails: bad entries are found in few steps, and the good ones are stored.
 * @param refuse the result of an entry that cannot be stored; throws what is the same for all entries
 */
export async function storeWithHalves<E, R>(
  batch: readonly E[],
  store: (batch: readonly E[]) => Promise<readonly R[]>,
  refuse: (error: unknown, entry: E) => R,
): Promise<readonly R[]> {
  try {
    return await store(batch);
  } catch (error) {
    const refusal = refuse(error, batch[0]!);
    if (batch.length === 1) return [refusal];
    const middle = batch.length >> 1;
    const first = await storeWithHalves(batch.slice(0, middle), store, refuse);
    return [...first, ...(await storeWithHalves(batch.slice(middle), store, refuse))];
  }
}
