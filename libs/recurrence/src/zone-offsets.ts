import { DAY_MS } from './calendar-math';
import { RecurrenceError } from './recurrence-error';

/** One change of the clocks: from the instant `atMs` on the zone is `offsetMs` ahead of UTC. */
export interface ZoneTransition {
  readonly atMs: number;
  readonly offsetMs: number;
}

/** About 13 months; two changes of the clocks a year make a chunk of a handful of entries. */
const CHUNK_MS = 2 ** 35;
/** Distance of the probes that look for changes inside a chunk. */
const PROBE_MS = CHUNK_MS / 64;
/** No zone was ever further than this from UTC (Alaska had 15:02 in 1867). */
const WIDEST_OFFSET_MS = 16 * 3_600_000;
/** Before this instant every zone keeps its local mean time. */
const FIRST_KNOWN_MS = Date.UTC(1800, 0, 1);
const LAST_KNOWN_MS = Date.UTC(9999, 11, 31);
const CACHED_ZONES = 1_000;

/** Times between two changes of the clocks: `starts[i]` to the next start has `offsets[i]`; the last one ends at `end`. */
interface Chunk {
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
  readonly end: number;
}

/**
 * Offsets of one zone, read from ICU once per 13 months and kept: a lookup is a binary search in a small table.
 * Wall-clock times follow decision D13: in the gap of spring the offset before the gap counts (RFC 5545 §3.3.5,
 * form 3), in the overlap of autumn the first of the two instants.
 */
export class ZoneOffsets {
  private static readonly zones = new Map<string, ZoneOffsets>();
  private readonly chunks = new Map<number, Chunk>();
  private readonly fixedOffset: number | undefined;
  private readonly format: Intl.DateTimeFormat | undefined;
  // The stretch of equal offset that was used last: neighbouring occurrences need no search.
  private from = Infinity;
  private to = -Infinity;
  private offset = 0;

  private constructor(readonly timeZone: string) {
    this.fixedOffset = fixedOffsetOf(timeZone);
    if (this.fixedOffset !== undefined) return;
    try {
      this.format = new Intl.DateTimeFormat('en-US', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      throw new RecurrenceError('INVALID_RULE', `unknown time zone ${timeZone}`);
    }
  }

  /**
   * The shared table of a zone: an IANA name ICU knows, `UTC`, or a fixed offset as `resolveTimeZone` writes it
   * (`GMT+08:00`). Throws {@link RecurrenceError} `INVALID_RULE` for other names.
   */
  static forZone(timeZone: string): ZoneOffsets {
    let zone = ZoneOffsets.zones.get(timeZone);
    if (!zone) {
      zone = new ZoneOffsets(timeZone);
      if (ZoneOffsets.zones.size >= CACHED_ZONES) ZoneOffsets.zones.clear();
      ZoneOffsets.zones.set(timeZone, zone);
    }
    return zone;
  }

  /** Offset from UTC in ms that is in force at an instant (positive east of Greenwich). */
  offsetAt(instantMs: number): number {
    if (instantMs < this.from || instantMs >= this.to) this.seek(instantMs);
    return this.offset;
  }

  /** Instant of a wall-clock time (given as ms as if it were UTC), by decision D13. */
  localToInstant(localMs: number): number {
    const earliest = localMs - WIDEST_OFFSET_MS;
    const latest = localMs + WIDEST_OFFSET_MS;
    if (earliest < this.from || earliest >= this.to) this.seek(earliest);
    if (latest < this.to) return localMs - this.offset;

    // The clocks change near by: the first instant that shows this time, else it lies in a gap.
    let offset = this.offset;
    if (this.offsetAt(localMs - offset) === offset) return localMs - offset;
    for (const change of this.transitions(earliest, latest)) {
      const instant = localMs - change.offsetMs;
      if (instant < change.atMs) return localMs - offset;
      offset = change.offsetMs;
      if (this.offsetAt(instant) === offset) return instant;
    }
    return localMs - offset;
  }

  /** Wall-clock time of an instant, as ms as if it were UTC. */
  instantToLocal(instantMs: number): number {
    return instantMs + this.offsetAt(instantMs);
  }

  /** All changes of the clocks in [fromMs, toMs), in order. Reads one year of the zone after the other: keep it short. */
  transitions(fromMs: number, toMs: number): ZoneTransition[] {
    const found: ZoneTransition[] = [];
    if (this.fixedOffset !== undefined) return found;
    const last = Math.floor(Math.min(toMs, LAST_KNOWN_MS) / CHUNK_MS);
    for (let index = Math.floor(Math.max(fromMs, FIRST_KNOWN_MS) / CHUNK_MS); index <= last; index++) {
      const { starts, offsets } = this.chunk(index);
      for (let i = 0; i < starts.length; i++) {
        const changed = i > 0 || this.chunk(index - 1).offsets.at(-1) !== offsets[0];
        if (changed && starts[i]! >= fromMs && starts[i]! < toMs)
          found.push({ atMs: starts[i]!, offsetMs: offsets[i]! });
      }
    }
    return found;
  }

  /** Smallest and largest offset in force within two days of an instant. */
  offsetRangeAround(instantMs: number): { min: number; max: number } {
    const from = instantMs - 2 * DAY_MS;
    const to = instantMs + 2 * DAY_MS;
    let min = this.offsetAt(from);
    let max = min;
    if (to < this.to) return { min, max };
    for (const { offsetMs } of this.transitions(from, to)) {
      min = Math.min(min, offsetMs);
      max = Math.max(max, offsetMs);
    }
    return { min, max };
  }

  private seek(instantMs: number): void {
    if (this.fixedOffset !== undefined) {
      this.from = -Infinity;
      this.to = Infinity;
      this.offset = this.fixedOffset;
      return;
    }
    const known = Math.min(Math.max(instantMs, FIRST_KNOWN_MS), LAST_KNOWN_MS);
    const { starts, offsets, end } = this.chunk(Math.floor(known / CHUNK_MS));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= known) low = middle;
      else high = middle - 1;
    }
    this.from = instantMs < FIRST_KNOWN_MS ? -Infinity : starts[low]!;
    this.to = instantMs > LAST_KNOWN_MS ? Infinity : (starts[low + 1] ?? end);
    this.offset = offsets[low]!;
  }

  private chunk(index: number): Chunk {
    let chunk = this.chunks.get(index);
    if (!chunk) {
      chunk = this.readChunk(index * CHUNK_MS, (index + 1) * CHUNK_MS);
      this.chunks.set(index, chunk);
    }
    return chunk;
  }

  private readChunk(begin: number, end: number): Chunk {
    const starts = [begin];
    const offsets = [this.readOffset(begin)];
    let probed = begin;
    while (probed < end - 1) {
      const next = Math.min(probed + PROBE_MS, end - 1);
      const wanted = this.readOffset(next);
      // Several changes between two probes are found one after the other.
      while (offsets[offsets.length - 1] !== wanted) {
        const offset = offsets[offsets.length - 1];
        let low = probed;
        let high = next;
        while (high - low > 1) {
          const middle = Math.floor((low + high) / 2);
          if (this.readOffset(middle) === offset) low = middle;
          else high = middle;
        }
        starts.push(high);
        offsets.push(this.readOffset(high));
        probed = high;
      }
      probed = next;
    }
    return { starts, offsets, end };
  }

  /** Asks ICU. */
  private readOffset(instantMs: number): number {
    const at = Math.min(Math.max(instantMs, FIRST_KNOWN_MS), LAST_KNOWN_MS);
    const [month, day, year, hour, minute, second] = (this.format as Intl.DateTimeFormat)
      .format(at)
      .split(/\D+/)
      .map(Number) as [number, number, number, number, number, number];
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  }
}

function fixedOffsetOf(timeZone: string): number | undefined {
  if (timeZone === 'UTC') return 0;
  const match = /^GMT([+-])(\d{2}):(\d{2})$/.exec(timeZone);
  if (!match) return undefined;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * 60_000;
}
