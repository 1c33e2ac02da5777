/**
 * Results of what was asked for in one go, such as statements of a transaction that share a round trip. Waits for all; of
 * several failures the first in the order of the list is thrown, whichever came first.
 */
export async function together<T extends readonly unknown[]>(
  ...asked: { readonly [K in keyof T]: Promise<T[K]> | T[K] }
): Promise<T> {
  const outcomes = await Promise.allSettled(asked);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as T;
}
