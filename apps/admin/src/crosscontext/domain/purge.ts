import { CatalogueError } from '@groupware/contracts';

/** Outcome of one item of a purge. `gone`: revoked concurrently, not counted. */
export type PurgeOutcome = 'retracted' | 'gone' | 'deferred' | 'failed';

const MINUTE_MS = 60_000;
const LONGEST_MS = 6 * 60 * MINUTE_MS;

/** Pause before the next try after so many failed ones, ms: a minute, doubled each time, at most six hours. */
export const computeRetryDelay = (attempts: number): number =>
  Math.min(MINUTE_MS * 2 ** Math.min(attempts, 20), LONGEST_MS);

/** Whether a required service is unavailable, so that a retry may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof CatalogueError && ['SERVICE_DOWN', 'TRY_AGAIN', 'CONNECTIVITY'].includes(error.entry.category);

/** Counts items by outcome. */
export const countOutcomes = (outcomes: readonly PurgeOutcome[]) => ({
  retracted: outcomes.filter((outcome) => outcome === 'retracted').length,
  deferred: outcomes.filter((outcome) => outcome === 'deferred').length,
  failed: outcomes.filter((outcome) => outcome === 'failed').length,
});

/** Contexts by module. */
export function groupByModule(
  pairs: readonly { readonly module: string; readonly from: number }[],
): Record<string, number[]> {
  const found = new Map<string, Set<number>>();
  for (const { module, from } of pairs) found.set(module, (found.get(module) ?? new Set()).add(from));
  return Object.fromEntries(
    [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([module, contexts]) => [module, [...contexts].sort((a, b) => a - b)]),
  );
}
