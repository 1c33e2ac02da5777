/** Longest pause between two attempts, ms. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Pause before the next attempt, ms: doubled each time, with a random part, so that not all come back at once. */
export const computeRetryPause = (attempts: number, firstMs: number, random = Math.random()): number =>
  Math.round(Math.min(firstMs * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE_MS) * (0.75 + random / 2));
