import type { BusyType } from '@groupware/contracts';
import { type CalendarEvent, type CalendarTime, readCalendar, readFreeBusy } from '@groupware/icalendar';
import { occurrencesBetween, parseRule, RecurrenceError, type Series, ZoneOffsets } from '@groupware/recurrence';
import type { Range } from '../domain/boundary';
import type { Period } from '../domain/period';

/** Something that keeps somebody busy, as a feed tells it. */
interface FeedEntry {
  readonly series: Series;
  /** Whole days and floating times: taken in the zone of whoever is busy. */
  readonly floating: boolean;
  readonly type: BusyType;
}

/** The times of a calendar elsewhere, without anything else it tells. */
export interface Feed {
  readonly entries: readonly FeedEntry[];
  readonly periods: readonly Period[];
}

/** Most of what is taken from one feed. */
export interface FeedLimits {
  readonly maxEntries: number;
}

const TYPES: readonly string[] = ['BUSY', 'BUSY-UNAVAILABLE', 'BUSY-TENTATIVE', 'FREE'];
const DAY_MS = 86_400_000;

/** Reads an iCalendar text with events, free/busy periods or both; undefined when it is none. */
export async function readFeed(text: Buffer, { maxEntries }: FeedLimits): Promise<Feed | undefined> {
  if (!/BEGIN:VCALENDAR/i.test(text.subarray(0, 1024).toString('latin1'))) return undefined;
  const events: CalendarEvent[] = [];
  for await (const { event } of readCalendar([text], { defaultTimeZone: 'UTC', maxItems: maxEntries }))
    if (event) events.push(event);
  const changed = new Map<string, CalendarTime[]>();
  for (const { uid, recurrenceId } of events)
    if (recurrenceId) changed.set(uid, [...(changed.get(uid) ?? []), recurrenceId]);
  const entries = events.flatMap((event) => entryOf(event, changed.get(event.uid) ?? []) ?? []);
  const periods = (readFreeBusy(text, maxEntries) ?? []).map(({ startMs, endMs, type = 'BUSY' }): Period => ({
    startMs,
    endMs,
    // Names of others mean busy (RFC 5545, section 3.2.9).
    type: TYPES.includes(type) ? (type as BusyType) : 'BUSY',
  }));
  return { entries, periods };
}

/** The periods of a feed within a range, cut to it; at most so many. */
export function periodsWithin(feed: Feed, zone: string, range: Range, limit: number): Period[] {
  const found: Period[] = [];
  const add = (startMs: number, endMs: number, type: BusyType): void => {
    const start = Math.max(startMs, range.fromMs);
    const end = Math.min(endMs, range.untilMs);
    if (start < end && found.length < limit) found.push({ startMs: start, endMs: end, type });
  };
  for (const { startMs, endMs, type } of feed.periods) add(startMs, endMs, type);
  for (const { series, floating, type } of feed.entries) {
    if (found.length >= limit) break;
    for (const { startMs, endMs } of occurrences(floating ? { ...series, timeZone: zone } : series, range, limit))
      add(startMs, endMs, type);
  }
  return found;
}

function occurrences(series: Series, range: Range, limit: number) {
  try {
    return occurrencesBetween(series, range.fromMs, range.untilMs, { limit });
  } catch (error) {
    // One hostile rule must not hide the rest of the feed.
    if (error instanceof RecurrenceError) return [];
    throw error;
  }
}

/** Private and cancelled events keep nobody busy. */
function entryOf(event: CalendarEvent, changed: readonly CalendarTime[]): FeedEntry | undefined {
  if (event.classification === 'PRIVATE' || event.status === 'CANCELLED') return undefined;
  const { start, end } = event;
  const timeZone = start.kind === 'zoned' ? start.timeZone! : 'UTC';
  const durationMs = Math.max(0, instantOf(end) - instantOf(start));
  const series: Series = { startLocalMs: start.localMs, timeZone, durationMs, allDay: start.kind === 'date' };
  const floating = start.kind === 'date' || start.kind === 'floating';
  const entry = { floating, type: typeOf(event) };
  if (event.recurrenceId || (event.rrule === undefined && event.rdates.length === 0)) return { ...entry, series };
  try {
    const rule = event.rrule === undefined ? undefined : parseRule(event.rrule);
    const exdates = [...event.exdates, ...changed.map((time) => localOf(time, series))];
    return { ...entry, series: { ...series, rule, rdates: event.rdates, exdates } };
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}

const instantOf = (time: CalendarTime): number =>
  time.kind === 'zoned' ? ZoneOffsets.of(time.timeZone!).localToInstant(time.localMs) : time.localMs;

/** The original start of a changed occurrence in the clock of its series. */
function localOf(time: CalendarTime, { allDay, startLocalMs, timeZone }: Series): number {
  const day = (ms: number): number => ms - (((ms % DAY_MS) + DAY_MS) % DAY_MS);
  if (allDay) return day(time.localMs);
  if (time.kind === 'date') return time.localMs + (startLocalMs - day(startLocalMs));
  return time.kind === 'floating' ? time.localMs : ZoneOffsets.of(timeZone).instantToLocal(instantOf(time));
}

function typeOf({ transparency, status, extraProperties }: CalendarEvent): BusyType {
  if (transparency === 'TRANSPARENT') return 'FREE';
  const shown = extraProperties.find(([name]) => name === 'x-microsoft-cdo-busystatus')?.[3]?.toUpperCase();
  if (shown === 'OOF') return 'BUSY-UNAVAILABLE';
  return shown === 'TENTATIVE' || status === 'TENTATIVE' ? 'BUSY-TENTATIVE' : 'BUSY';
}
