import { type ExpansionBudget, occurrencesBetween, type Series, ZoneOffsets } from '@groupware/recurrence';
import { DAY_MS } from './local-days';

/** A stretch of time, ms UTC; the end is exclusive. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Times of one attendee, cut to a range or whole, as a flat list of start (ms after the begin of the range), length (ms) and how they
 * are shown: a question may find a hundred thousand, and small numbers are written and read in half the time. Something of no
 * length is not busy. Identified times are followed by the id of their appointment.
 */
export class BusyList {
  readonly flat: number[] = [];

  constructor(
    private readonly range: Period,
    private readonly isIdentified = false,
    private readonly isWhole = false,
  ) {}

  /** Adds a time, when it touches the range. */
  addPeriod(startMs: number, endMs: number, shownAs: number, id: number): void {
    if (Math.max(startMs, this.range.startMs) >= Math.min(endMs, this.range.endMs)) return;
    const start = this.isWhole ? startMs : Math.max(startMs, this.range.startMs);
    const end = this.isWhole ? endMs : Math.min(endMs, this.range.endMs);
    this.flat.push(start - this.range.startMs, end - start, shownAs);
    if (this.isIdentified) this.flat.push(id);
  }
}

/**
 * Times of a series in a range, at most so many; floating times and whole days are taken in the zone of the attendee: both
 * their begin and their end are what its clocks show, as in the views.
 */
export function listBusyTimes(
  series: Series,
  { floating, zone }: { readonly floating: boolean; readonly zone: string },
  { startMs, endMs }: Period,
  limit: number,
  budget: ExpansionBudget,
): readonly Period[] {
  const expand = (fromMs: number, toMs: number) =>
    budget.spend((steps) => occurrencesBetween(series, fromMs, toMs, { limit, steps }));
  if (!floating) return expand(startMs, endMs);
  const clocks = ZoneOffsets.forZone(zone);
  // No zone is more than a day away from UTC.
  return expand(startMs - DAY_MS, endMs + DAY_MS)
    .map((time) => ({ startMs: clocks.localToInstant(time.startMs), endMs: clocks.localToInstant(time.endMs) }))
    .filter((time) => time.startMs < endMs && time.endMs > startMs);
}

/** An instant, or a wall-clock time in a zone as one. */
export const toInstant = (ms: number, floating: boolean, zone: string): number =>
  floating ? ZoneOffsets.forZone(zone).localToInstant(ms) : ms;
