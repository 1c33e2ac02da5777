/**
 * Runs work whose failures take a multiple of `stepMs` from its start: a refusal without any packet, a name that does not
 * exist and a closed port then look alike to anyone who measures the time.
 * @param isPlain true for failures that may show at once
 */
export async function withEvenFailures<T>(
  stepMs: number,
  work: () => Promise<T>,
  isPlain: (error: unknown) => boolean = () => false,
): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } catch (error) {
    if (stepMs > 0 && !isPlain(error)) {
      const step = Math.max(1, Math.ceil((performance.now() - start) / stepMs));
      await new Promise((resolve) => setTimeout(resolve, start + step * stepMs - performance.now()));
    }
    throw error;
  }
}
