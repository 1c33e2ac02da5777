/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

/** Midnight of the day of a wall-clock time (ms as if UTC): a Date of the API. */
export const dayOf = (localMs: number): number => Math.floor(localMs / DAY_MS) * DAY_MS;

/** Wall-clock time within its day, ms. */
export const timeOfDay = (localMs: number): number => localMs - dayOf(localMs);
