import type { BusyType } from '@groupware/contracts';
import { type CalendarEvent, type CalendarTime, readCalendar, readFreeBusy } from '@groupware/icalendar';
import {
  ExpansionBudget,
  occurrencesBetween,
  parseRule,
  RecurrenceError,
  type Series,
  ZoneOffsets,
} from '@groupware/recurrence';
import { pauseAfterTurn } from '@groupware/service-kit';
import type { Range } from '../domain/boundary';
import type { Period } from '../domain/period';

/** A busy entry of a feed. */
interface FeedEntry {
  readonly series: Series;
  /** Whole days and floating times, in the zone of the attendee. */
  readonly floating: boolean;
  readonly type: BusyType;
}

/** Times of a foreign calendar, without any other data. */
export interface Feed {
  readonly entries: readonly FeedEntry[];
  readonly periods: readonly Period[];
}

/** Limits of a feed. */
export interface FeedLimits {
  readonly maxEntries: number;
}

const TYPES: readonly string[] = ['BUSY', 'BUSY-UNAVAILABLE', 'BUSY-TENTATIVE', 'FREE'];
const DAY_MS = 86_400_000;

/** Parses an iCalendar text with events, free/busy periods or both; undefined for other texts. */
export async function parseFeed(text: Buffer, { maxEntries }: FeedLimits): Promise<Feed | undefined> {
  if (!/BEGIN:VCALENDAR/i.test(text.subarray(0, 1024).toString('latin1'))) return undefined;
  const events: CalendarEvent[] = [];
  const options = { defaultTimeZone: 'UTC', maxItems: maxEntries, pause: pauseAfterTurn };
  for await (const { event } of readCalendar([text], options)) if (event) events.push(event);
  const changed = new Map<string, CalendarTime[]>();
  for (const { uid, recurrenceId } of events)
    if (recurrenceId) {
      const known = changed.get(uid);
      if (known) known.push(recurrenceId);
      else changed.set(uid, [recurrenceId]);
    }
  const entries: FeedEntry[] = [];
  for (const event of events) {
    await pauseAfterTurn();
    const entry = toFeedEntry(event, changed.get(event.uid) ?? []);
    if (!entry) continue;
    entries.push(entry);
    // The changes of a series are those of the first event with its uid.
    if (entry.series.exdates) changed.delete(event.uid);
  }
  const free = await readFreeBusy(text, { maxPeriods: maxEntries, pause: pauseAfterTurn });
  const periods = (free ?? []).map(({ startMs, endMs, type = 'BUSY' }): Period => ({
    startMs,
    endMs,
    // Unknown types mean busy (RFC 5545, section 3.2.9).
    type: TYPES.includes(type) ? (type as BusyType) : 'BUSY',
  }));
  return { entries, periods };
}

/** Expands the periods of a feed, clipped to a range, up to a limit and as far as so many steps lead. */
export async function expandFeed(
  feed: Feed,
  zone: string,
  range: Range,
  { limit, maxSteps }: { readonly limit: number; readonly maxSteps: number },
): Promise<Period[]> {
  const budget = new ExpansionBudget(maxSteps);
  const found: Period[] = [];
  const add = (startMs: number, endMs: number, type: BusyType): void => {
    const start = Math.max(startMs, range.fromMs);
    const end = Math.min(endMs, range.untilMs);
    if (start < end && found.length < limit) found.push({ startMs: start, endMs: end, type });
  };
  for (const { startMs, endMs, type } of feed.periods) add(startMs, endMs, type);
  for (const { series, floating, type } of feed.entries) {
    if (found.length >= limit || budget.isSpent) break;
    await pauseAfterTurn();
    const shown = floating ? { ...series, timeZone: zone } : series;
    for (const { startMs, endMs } of expandSeries(shown, range, limit, budget)) add(startMs, endMs, type);
  }
  return found;
}

function expandSeries(series: Series, range: Range, limit: number, budget: ExpansionBudget) {
  try {
    return budget.spend((steps) => occurrencesBetween(series, range.fromMs, range.untilMs, { limit, steps }));
  } catch (error) {
    // A malicious rule must not hide the rest of the feed.
    if (error instanceof RecurrenceError) return [];
    throw error;
  }
}

/** Converts an event; undefined for private and cancelled ones. */
function toFeedEntry(event: CalendarEvent, changed: readonly CalendarTime[]): FeedEntry | undefined {
  if (event.classification === 'PRIVATE' || event.status === 'CANCELLED') return undefined;
  const { start, end } = event;
  const timeZone = start.kind === 'zoned' ? start.timeZone! : 'UTC';
  const durationMs = Math.max(0, toInstant(end) - toInstant(start));
  const series: Series = { startLocalMs: start.localMs, timeZone, durationMs, allDay: start.kind === 'date' };
  const floating = start.kind === 'date' || start.kind === 'floating';
  const entry = { floating, type: resolveBusyType(event) };
  if (event.recurrenceId || (event.rrule === undefined && event.rdates.length === 0)) return { ...entry, series };
  try {
    const rule = event.rrule === undefined ? undefined : parseRule(event.rrule);
    const exdates = [...event.exdates, ...changed.map((time) => toLocalTime(time, series))];
    return { ...entry, series: { ...series, rule, rdates: event.rdates, rdatePeriods: event.rdatePeriods, exdates } };
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}

const toInstant = (time: CalendarTime): number =>
  time.kind === 'zoned' ? ZoneOffsets.forZone(time.timeZone!).localToInstant(time.localMs) : time.localMs;

/** Original start of an override, in local time of its series. */
function toLocalTime(time: CalendarTime, { allDay, startLocalMs, timeZone }: Series): number {
  const day = (ms: number): number => ms - (((ms % DAY_MS) + DAY_MS) % DAY_MS);
  if (allDay) return day(time.localMs);
  if (time.kind === 'date') return time.localMs + (startLocalMs - day(startLocalMs));
  return time.kind === 'floating' ? time.localMs : ZoneOffsets.forZone(timeZone).instantToLocal(toInstant(time));
}

function resolveBusyType({ transparency, status, extraProperties }: CalendarEvent): BusyType {
  if (transparency === 'TRANSPARENT') return 'FREE';
  const shown = extraProperties.find(([name]) => name === 'x-microsoft-cdo-busystatus')?.[3]?.toUpperCase();
  if (shown === 'OOF') return 'BUSY-UNAVAILABLE';
  return shown === 'TENTATIVE' || status === 'TENTATIVE' ? 'BUSY-TENTATIVE' : 'BUSY';
}
