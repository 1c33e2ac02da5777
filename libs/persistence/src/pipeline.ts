const isRejected = (result: PromiseSettledResult<unknown>): result is PromiseRejectedResult =>
  result.status === 'rejected';

/**
 * Results of what was asked for in one go, such as statements of a transaction that share a round trip. Waits for all; of
 * several failures the first in the order of the list is thrown, whichever came first.
 */
export async function pipeline<T extends readonly unknown[]>(
  ...requests: { readonly [K in keyof T]: Promise<T[K]> | T[K] }
): Promise<T> {
  const results = await Promise.allSettled(requests);
  const failed = results.find(isRejected);
  if (failed) throw failed.reason;
  return Promise.all(requests);
}
