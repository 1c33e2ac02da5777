import { BUSY_TYPES, type BusyType } from '@groupware/contracts';
import type { Period } from './period';

const RANKS = new Map(BUSY_TYPES.map((type, rank) => [type, rank]));
/** Encodes an edge as one number: time * CODES + 2 * rank of its type + 1 for an end. */
const CODES = 2 * BUSY_TYPES.length;

/** Starts and ends of all periods, by time. Exact: instants of the years 1 to 9999 need 48 bits, codes three. */
function toEdges(periods: readonly Period[]): Float64Array {
  const edges = new Float64Array(2 * periods.length);
  let count = 0;
  for (const { startMs, endMs, type } of periods) {
    if (startMs >= endMs) continue;
    const code = 2 * RANKS.get(type)!;
    edges[count++] = startMs * CODES + code;
    edges[count++] = endMs * CODES + code + 1;
  }
  return edges.subarray(0, count).sort();
}

/**
 * Cuts periods at all their boundaries, keeps the most conflicting type of each slice, and joins touching slices of one
 * type. The result is sorted and does not overlap.
 */
export function mergePeriods(periods: readonly Period[]): Period[] {
  const open = BUSY_TYPES.map(() => 0);
  const merged: { startMs: number; endMs: number; type: BusyType }[] = [];
  let last: (typeof merged)[number] | undefined;
  let fromMs = 0;
  for (const edge of toEdges(periods)) {
    const atMs = Math.floor(edge / CODES);
    const code = edge - atMs * CODES;
    if (atMs > fromMs) {
      let worst = 0;
      while (worst < open.length && open[worst] === 0) worst++;
      const type = BUSY_TYPES[worst];
      if (type !== undefined) {
        if (last && last.endMs === fromMs && last.type === type) last.endMs = atMs;
        else merged.push((last = { startMs: fromMs, endMs: atMs, type }));
      }
    }
    fromMs = atMs;
    open[code >> 1]! += code & 1 ? -1 : 1;
  }
  return merged;
}
