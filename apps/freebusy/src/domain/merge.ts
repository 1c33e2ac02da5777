import { BUSY_TYPES, type BusyType } from '@groupware/contracts';
import type { Period } from './period';

interface Edge {
  readonly atMs: number;
  readonly rank: number;
  readonly step: 1 | -1;
}

const rankOf = new Map(BUSY_TYPES.map((type, rank) => [type, rank]));

/**
 * Cuts periods at all their boundaries, keeps the most conflicting type of each slice, and joins touching slices of one
 * type. The result is sorted and does not overlap.
 */
export function mergePeriods(periods: readonly Period[]): Period[] {
  const edges: Edge[] = periods.flatMap(({ startMs, endMs, type }) =>
    startMs < endMs
      ? [
          { atMs: startMs, rank: rankOf.get(type)!, step: 1 },
          { atMs: endMs, rank: rankOf.get(type)!, step: -1 },
        ]
      : [],
  );
  edges.sort((left, right) => left.atMs - right.atMs);
  const open = BUSY_TYPES.map(() => 0);
  const merged: { startMs: number; endMs: number; type: BusyType }[] = [];
  let from = 0;
  for (const { atMs, rank, step } of edges) {
    const current = open.findIndex((count) => count > 0);
    if (current >= 0 && atMs > from) {
      const type = BUSY_TYPES[current]!;
      const last = merged.at(-1);
      if (last && last.endMs === from && last.type === type) last.endMs = atMs;
      else merged.push({ startMs: from, endMs: atMs, type });
    }
    from = atMs;
    open[rank]! += step;
  }
  return merged;
}
