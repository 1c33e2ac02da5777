import type { ZoneOffsets } from '@groupware/recurrence';

/** Offsets of a zone for `width_bucket`: array literals of Postgres; `offsets` has one entry more than `transitions`. */
export interface ZoneTable {
  readonly transitions: string;
  readonly offsets: string;
}

const YEAR_MS = 31_556_952_000;
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
    };
    if (tables.size >= MAX_TABLES) tables.clear();
    tables.set(key, table);
  }
  return table;
}
