/** CPU time of the reference work on a machine of the usual speed, ms. */
export const REFERENCE_MS: number;
/**
 * Measures the reference work.
 * @param used CPU time so far, ms
 * @returns what it took, ms
 */
export function measureReference(used: () => number): number;
