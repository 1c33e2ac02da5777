import { MAX_TIME } from '@groupware/contracts';
import type { CalendarEvent, CalendarTime } from '@groupware/icalendar';
import {
  formatRule,
  occurrencesBetween,
  positionOf,
  type RecurrenceRule,
  type RuleUntil,
  type Series,
  type Weekday,
  ZoneOffsets,
} from '@groupware/recurrence';
import { isTurnOver, yieldToEventLoop } from '@groupware/service-kit';
import type { Appointment } from '../domain/appointment';
import { wholeSeriesOf, zoneOf } from '../domain/series';
import { toImportedContent, toInstant } from './from-event';
import type { SeriesPart, StoredEvent } from '../domain/icalendar-extra';
import { originalStart } from './import-entries';

/** Occurrences that are compared of the last part of a series; of one with fewer all are. */
const COMPARED = 500;
/** Most occurrences of a part that others follow. */
const MAX_INNER = 5000;
/** Most occurrences of a part that is stored as a list of times. */
const MAX_DATES = 1000;
const DAY_MS = 86_400_000;

/** The master of a series with what its expansion needs. */
interface Master {
  readonly event: CalendarEvent;
  /** Its content alone: nothing of it is stored. */
  readonly appointment: Appointment;
  /** With the occurrences that are deleted. */
  readonly series: Series;
}

/** A part of a series that a file changes as a whole, as a series of its own. */
interface Part {
  readonly event: StoredEvent;
  /** Original start of its first occurrence, in the clock of the series. */
  readonly fromMs: number;
  /** Shift of its occurrences in the clock of the series, ms. */
  readonly shiftMs: number;
}

/** Recurrence of a part of a series. */
export type Recurrence = Pick<CalendarEvent, 'rrule' | 'rdates' | 'rdatePeriods' | 'exdates'>;

/**
 * Changes of an occurrence and all that follow (RANGE=THISANDFUTURE, RFC 5545, section 3.8.4.4) as series of their own: neither
 * views nor clients of the API know such changes. The series ends before the named occurrence. From there on another one, whose
 * uid is made of that of the series and the original start, has the new values and length, and is moved by as much as the named
 * occurrence. What else the file changes of later occurrences belongs to that one. The same file gives the same events again,
 * but an export has two series where the file had one.
 *
 * Answers the events in their order. What needs a series that is not among them, and what no rule can say (a monthly series
 * without end whose occurrences move to other days), stays as it came.
 */
export async function splitRanges(events: readonly CalendarEvent[], userZone: string): Promise<StoredEvent[]> {
  if (!events.some(({ recurrenceRange }) => recurrenceRange)) return [...events];
  const byUid = new Map<string, CalendarEvent[]>();
  for (const event of events) {
    const group = byUid.get(event.uid);
    if (group) group.push(event);
    else byUid.set(event.uid, [event]);
  }
  const split = new Map<CalendarEvent, StoredEvent>();
  for (const group of byUid.values())
    if (group.some(({ recurrenceRange }) => recurrenceRange))
      for (const [event, stored] of await splitGroup(group, userZone)) split.set(event, stored);
  return events.map((event) => split.get(event) ?? event);
}

/** Recurrence of a series that ends before one of its occurrences; undefined when it can't be expressed. */
export function recurrenceBefore(
  event: CalendarEvent,
  fromMs: number,
  userZone: string,
): Recurrence | 'empty' | undefined {
  return cutRecurrence(masterOf(event, userZone), undefined, fromMs, 0);
}

/** The events of a uid that are stored otherwise than they came. */
async function splitGroup(group: readonly CalendarEvent[], userZone: string): Promise<Map<CalendarEvent, StoredEvent>> {
  try {
    return await splitSeries(group, userZone);
  } catch {
    // Errors of a rule are reported when its event is stored.
    return new Map();
  }
}

async function splitSeries(
  group: readonly CalendarEvent[],
  userZone: string,
): Promise<Map<CalendarEvent, StoredEvent>> {
  const main = group.filter(({ recurrenceId }) => !recurrenceId).at(-1);
  if (!main || (main.rrule === undefined && main.rdates.length === 0)) return new Map();
  const master = masterOf(main, userZone);
  const { appointment } = master;
  const changes = new Map<number, CalendarEvent>();
  for (const event of group) if (event.recurrenceRange) changes.set(originalStart(event, appointment), event);
  const starts = [...changes.keys()].sort((a, b) => a - b);
  const parts: Part[] = [];
  for (const [index, fromMs] of starts.entries()) {
    if (isTurnOver()) await yieldToEventLoop();
    const part = partOf(master, changes.get(fromMs)!, fromMs, starts[index + 1]);
    if (!part) return new Map();
    parts.push(part);
  }
  const head = cutRecurrence(master, undefined, starts[0], 0);
  if (!head) return new Map();
  // A change of all occurrences replaces the series itself.
  const [first] = parts;
  if (head === 'empty') parts[0] = { ...first!, event: { ...first!.event, uid: main.uid, partOf: undefined } };
  const stored = new Map<CalendarEvent, StoredEvent>([
    [main, head === 'empty' ? parts[0]!.event : { ...main, ...head }],
  ]);
  for (const event of group) {
    if (isTurnOver()) await yieldToEventLoop();
    if (!event.recurrenceId) continue;
    const localMs = originalStart(event, appointment);
    const part = parts.filter(({ fromMs }) => fromMs <= localMs).at(-1);
    if (!part) continue;
    const recurrenceId = { ...part.event.start, localMs: localMs + part.shiftMs };
    stored.set(event, event.recurrenceRange ? part.event : { ...event, uid: part.event.uid, recurrenceId });
  }
  return stored;
}

function masterOf(event: CalendarEvent, userZone: string): Master {
  const appointment = toImportedContent(event, userZone).content as Appointment;
  return { event, appointment, series: wholeSeriesOf(appointment) };
}

/** The series of a change and all that follow, up to the next such change; undefined when there is no saying it so. */
function partOf(master: Master, change: CalendarEvent, fromMs: number, toMs: number | undefined): Part | undefined {
  const { event, appointment, series } = master;
  const isZoned = ({ kind }: CalendarTime): boolean => kind === 'zoned' || kind === 'utc';
  if ((event.start.kind === 'date') !== (change.start.kind === 'date')) return undefined;
  if (isZoned(event.start) !== isZoned(change.start) || positionOf(series, fromMs) === undefined) return undefined;
  const clock = ZoneOffsets.forZone(zoneOf(appointment));
  const localOf = (ms: number): number => (isZoned(event.start) ? clock.instantToLocal(ms) : ms);
  const shiftMs = localOf(toInstant(change.start)) - fromMs;
  const recurrence = cutRecurrence(master, fromMs, toMs, shiftMs);
  if (!recurrence || recurrence === 'empty') return undefined;
  const { recurrenceId: _id, recurrenceRange: _range, ...content } = change;
  const timeAt = (ms: number): CalendarTime => ({ ...event.start, localMs: localOf(ms) });
  const start = timeAt(toInstant(change.start));
  const end = timeAt(toInstant(change.end));
  const origin: SeriesPart = { uid: event.uid, fromMs, shiftMs };
  const stored = { ...content, ...recurrence, uid: partUid(origin), partOf: origin, start, end };
  return { fromMs, shiftMs, event: stored };
}

/** The unique id of a part of a series. */
export const partUid = ({ uid, fromMs }: Pick<SeriesPart, 'uid' | 'fromMs'>): string =>
  `${uid}_R${new Date(fromMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}`;

/**
 * Recurrence of a shifted part of a series; `empty` without occurrences. A rule that begins later may mean other times, so
 * what comes of it is compared; a part with an end may be a list of times.
 */
function cutRecurrence(
  { event, series }: Master,
  fromMs: number | undefined,
  toMs: number | undefined,
  shiftMs: number,
): Recurrence | 'empty' | undefined {
  const isInside = (localMs: number): boolean => localMs >= (fromMs ?? -Infinity) && localMs < (toMs ?? Infinity);
  const moved = (list: readonly number[]): number[] => list.filter(isInside).map((localMs) => localMs + shiftMs);
  const most = toMs === undefined ? COMPARED : MAX_INNER;
  const wanted = startsOf(series, { fromMs, toMs, most }).map((localMs) => localMs + shiftMs);
  if (wanted.length === 0) return 'empty';
  const isAll = wanted.length < most;
  if (toMs !== undefined && !isAll) return undefined;
  const dates = {
    exdates: moved(event.exdates),
    // A change of all that follow gives all of them its length.
    rdatePeriods: fromMs === undefined ? event.rdatePeriods.filter(({ localMs }) => isInside(localMs)) : [],
  };
  const rdates = moved(event.rdates);
  if (series.rule)
    for (const rule of rulesOf(series, series.rule, {
      ...{ fromMs, toMs, shiftMs, lastMs: isAll ? wanted.at(-1)! : undefined },
      isFloating: event.start.kind === 'floating',
    })) {
      const found = startsOf(
        { ...series, rule, rdates, startLocalMs: wanted[0]! },
        { most: wanted.length + Number(isAll) },
      );
      if (found.length === wanted.length && found.every((localMs, index) => localMs === wanted[index]))
        return { ...dates, rrule: formatRule(rule), rdates };
    }
  return !isAll || wanted.length > MAX_DATES ? undefined : { ...dates, rrule: undefined, rdates: wanted };
}

/** Starts of occurrences in the clock of the series, in order; those of a rule that does not end, up to a number. */
function startsOf(
  series: Series,
  { fromMs = series.startLocalMs, toMs, most }: { fromMs?: number; toMs?: number; most: number },
): number[] {
  const clock = ZoneOffsets.forZone(series.timeZone);
  const first = Math.min(fromMs, ...(series.rdates ?? []).filter((localMs) => localMs >= fromMs));
  // Wider than asked: the clocks may change in between.
  const bounds = [
    clock.localToInstant(first) - DAY_MS,
    toMs === undefined ? MAX_TIME : clock.localToInstant(toMs) + DAY_MS,
  ] as const;
  const instant = { ...series, durationMs: 0, rdatePeriods: undefined, exdates: undefined };
  return occurrencesBetween(instant, ...bounds, { limit: most + 50 })
    .map(({ localMs }) => localMs)
    .filter((localMs) => localMs >= first && (toMs === undefined || localMs < toMs))
    .slice(0, most);
}

/** Rules that may say a part of a series. */
function rulesOf(
  series: Series,
  rule: RecurrenceRule,
  part: { fromMs?: number; toMs?: number; shiftMs: number; lastMs?: number; isFloating: boolean },
): RecurrenceRule[] {
  const { count, until, ...endless } = rule;
  const alone = { ...series, rdates: undefined, exdates: undefined };
  const numberOf = (localMs: number): number => positionOf(alone, localMs) ?? NaN;
  const before = part.fromMs === undefined ? 0 : numberOf(part.fromMs) - 1;
  const last = part.toMs === undefined ? count : numberOf(part.toMs) - 1;
  let bound: Pick<RecurrenceRule, 'count' | 'until'> = {};
  if (count !== undefined && last !== undefined) bound = { count: last - before };
  else if (part.lastMs !== undefined && (until || part.toMs !== undefined))
    bound = { until: untilOf(series, part.lastMs, part.isFloating) };
  else if (until) bound = { until: { ...until, ms: until.ms + part.shiftMs } };
  if (Number.isNaN(bound.count) || (bound.count !== undefined && bound.count < 1)) return [];
  const days = Math.round(part.shiftMs / DAY_MS);
  // BYDAY moves to other days of the week; weeks begin with them, so that every other week stays the same.
  const turned = (weekday: Weekday): Weekday => ((((weekday + days) % 7) + 7) % 7) as Weekday;
  const turn = days % 7 !== 0 && rule.frequency === 'WEEKLY' && rule.byDay !== undefined;
  return [
    { ...endless, ...bound },
    ...(turn
      ? [
          {
            ...endless,
            ...bound,
            byDay: rule.byDay.map((day) => ({ ...day, weekday: turned(day.weekday) })),
            weekStart: turned(rule.weekStart),
          },
        ]
      : []),
  ];
}

/** UNTIL of a rule, of the kind that RFC 5545 wants for the start of its series (section 3.3.10). */
function untilOf(series: Series, lastMs: number, isFloating: boolean): RuleUntil {
  if (series.allDay) return { kind: 'date', ms: lastMs };
  if (isFloating) return { kind: 'local', ms: lastMs };
  return { kind: 'utc', ms: ZoneOffsets.forZone(series.timeZone).localToInstant(lastMs) };
}
