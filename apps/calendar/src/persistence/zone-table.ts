import type { ZoneOffsets } from '@groupware/recurrence';

/** Offsets of a zone for `width_bucket`: array literals of Postgres; `offsets` has one entry more than `transitions`. */
export interface ZoneTable {
  readonly transitions: string;
  readonly offsets: string;
  /** The only offset, of a zone that does not change its clocks. */
  readonly steady?: number;
}

const YEAR_MS = 31_556_952_000;
/** Longer ranges are not looked through for changes of the clocks. */
const LONGEST_STEADY_MS = 2 * YEAR_MS;
const MAX_TABLES = 2_000;
const tables = new Map<string, ZoneTable>();

/**
 * The offsets that are in force between two instants. Whole years, so that requests for neighbouring ranges share a table.
 */
export function zoneTable(zone: ZoneOffsets, fromMs: number, toMs: number): ZoneTable {
  const from = Math.floor(fromMs / YEAR_MS);
  const to = Math.ceil(toMs / YEAR_MS);
  const key = `${zone.timeZone} ${from} ${to}`;
  let table = tables.get(key);
  if (!table) {
    const start = from * YEAR_MS;
    const changes = zone.transitions(start, to * YEAR_MS);
    table = {
      transitions: `{${changes.map(({ atMs }) => atMs).join()}}`,
      offsets: `{${[zone.offsetAt(start - 1), ...changes.map(({ offsetMs }) => offsetMs)].join()}}`,
      ...(changes.length === 0 ? { steady: zone.offsetAt(start) } : {}),
    };
    if (tables.size >= MAX_TABLES) tables.clear();
    tables.set(key, table);
  }
  return table;
}

/** The offset that is in force from one instant to another, both included; undefined when the clocks may change between. */
export function steadyOffset(zone: ZoneOffsets, fromMs: number, toMs: number): number | undefined {
  if (toMs - fromMs > LONGEST_STEADY_MS) return undefined;
  return zone.transitions(fromMs, toMs + 1).length === 0 ? zone.offsetAt(fromMs) : undefined;
}
