import ICAL from 'ical.js';
import { DateTime, RRule, RRuleSet } from 'rrule-rust';
import { Temporal } from 'temporal-polyfill';

/*
 * Occurrences that a calendar file shows, worked out without our reader, engine and zones: ical.js reads it and its VTIMEZONEs,
 * rrule-rust expands rules in zone-free time, Temporal turns wall-clock times of named zones into instants (its
 * `compatible` is decision D13).
 */

type Property = [name: string, parameters: Record<string, string>, type: string, ...values: any[]];
type Component = [name: string, properties: Property[], components: Component[]];

/** A wall-clock time as ms as if UTC, and the zone it is in: none for days and floating times. */
interface Moment {
  readonly localMs: number;
  readonly zone?: Zone;
  readonly day: boolean;
}

const DAY = 86_400_000;
const COMPACT = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d))?(Z)?$/;

/** Turns wall-clock ms into instants and back. */
interface Zone {
  instant(localMs: number): number;
  local(ms: number): number;
}

/** A file as ical.js sees it. */
export interface IndependentFile {
  /** In order. */
  readonly events: readonly Component[];
  readonly zones: ReadonlyMap<string, Zone>;
}

/** Reads a file; lines that ical.js refuses, and days that do not say so, are mended before. */
export function independentFile(text: string): IndependentFile {
  const mended = text
    .replace(/^\uFEFF/, '')
    .replace(/^[A-Z]+=.*\r?\n/gm, '')
    .replace(/^(DTSTART|DTEND|EXDATE|RDATE):(\d{8})Z?(\r?)$/gm, '$1;VALUE=DATE:$2$3');
  const parsed = ICAL.parse(mended) as unknown as Component | Component[];
  const roots = typeof parsed[0] === 'string' ? [parsed as Component] : (parsed as Component[]);
  const found = (name: string, component: Component): Component[] =>
    component[0] === name ? [component] : component[2].flatMap((inner) => found(name, inner));
  return {
    events: roots.flatMap((root) => found('vevent', root)),
    zones: new Map(
      roots.flatMap((root) => found('vtimezone', root)).map((zone) => [textOf(zone, 'tzid'), zoneOf(zone)]),
    ),
  };
}

function zoneOf(component: Component): Zone {
  const zone = new ICAL.Timezone(new ICAL.Component(component as never));
  const at = (ms: number): ICAL.Time => {
    const date = new Date(ms);
    return ICAL.Time.fromData({
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
    });
  };
  const instant = (localMs: number): number => localMs - zone.utcOffset(at(localMs)) * 1000;
  return {
    instant,
    // Times of the files are not near a change of the clocks.
    local: (ms) => ms + (ms + zone.utcOffset(at(ms)) * 1000 - instant(ms + zone.utcOffset(at(ms)) * 1000)),
  };
}

function namedZone(name: string): Zone {
  if (name === 'UTC') return { instant: (ms) => ms, local: (ms) => ms };
  return {
    instant: (localMs) =>
      Temporal.PlainDateTime.from(new Date(localMs).toISOString().slice(0, 19)).toZonedDateTime(name, {
        disambiguation: 'compatible',
      }).epochMilliseconds,
    local: (ms) => ms + Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(name).offsetNanoseconds / 1e6,
  };
}

const all = (event: Component, name: string): Property[] => event[1].filter((property) => property[0] === name);
const textOf = (event: Component, name: string): string => String(all(event, name)[0]?.[3] ?? '');

const UTC = namedZone('UTC');

/** A value of DTSTART and the like; `zones` are those that the file defines. */
function moment(value: unknown, parameters: Record<string, string>, zones: IndependentFile['zones']): Moment {
  const start = Array.isArray(value) ? value[0] : value;
  const match = COMPACT.exec(String(start));
  if (!match) throw new Error(`no time: ${String(start)}`);
  const [, year, month, day, hour, minute, second, utc] = match;
  const date = hour === undefined;
  return {
    localMs: Date.UTC(+year!, +month! - 1, +day!, +(hour ?? 0), +(minute ?? 0), +(second ?? 0)),
    day: date,
    zone: date ? undefined : utc ? UTC : zoneOfName(parameters.tzid, zones),
  };
}

/** The zone of a name: a well-known one says more than a VTIMEZONE, which may begin after the event. */
function zoneOfName(name: string | undefined, zones: IndependentFile['zones']): Zone | undefined {
  if (!name) return undefined;
  const plain = name.replace(/^\//, '');
  const known = plain.includes('/') && isKnown(plain);
  return known ? namedZone(plain) : (zones.get(name) ?? namedZone(plain));
}

function isKnown(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const moments = (event: Component, name: string, zones: IndependentFile['zones']): Moment[] =>
  all(event, name).flatMap(([, parameters, , ...values]) =>
    values.flatMap((value) => {
      try {
        return [moment(value, parameters, zones)];
      } catch {
        return [];
      }
    }),
  );

const instant = (localMs: number, zone: Zone | undefined): number => zone?.instant(localMs) ?? localMs;

/** A time as the clock of a series shows it: days stand for the occurrence of that day. */
function inClockOf(series: Moment, time: Moment): number {
  if (series.day) return Math.floor(time.localMs / DAY) * DAY;
  if (time.day) return time.localMs + (series.localMs % DAY);
  if (!time.zone || !series.zone) return time.localMs;
  return series.zone.local(time.zone.instant(time.localMs));
}

const utc = (ms: number): DateTime => {
  const date = new Date(ms);
  return DateTime.utc(
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  );
};

function expanded(rule: string, start: Moment, toMs: number): number[] {
  const [text, until] = [rule.replace(/;?UNTIL=[^;]*/i, ''), /UNTIL=([^;]*)/i.exec(rule)?.[1]];
  const rules = new RRuleSet({ dtstart: utc(start.localMs), tzid: 'UTC', rrules: [RRule.parse(text)] });
  const last = until === undefined ? undefined : moment(until, {}, new Map());
  return rules
    .between(utc(start.localMs), utc(toMs + 2 * DAY), true)
    .map((time) => Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second))
    .filter((ms) => {
      if (!last) return true;
      if (last.day) return Math.floor(ms / DAY) * DAY <= last.localMs;
      return (last.zone ? instant(ms, start.zone) : ms) <= last.localMs;
    });
}

/** Start and end of an occurrence: wall-clock ms for days and floating times. */
export type Times = readonly [startMs: number, endMs: number];

/** Length of an event: from its start on the wall for days, exact for times. */
function lengthOf(event: Component, start: Moment, zones: IndependentFile['zones']): number {
  const end = moments(event, 'dtend', zones)[0];
  const duration = all(event, 'duration')[0]?.[3];
  if (!end && duration === undefined) return start.day ? DAY : 0;
  // A day that ends when it begins lasts until the next.
  if (end && start.day && end.localMs <= start.localMs) return DAY;
  if (!end) return Math.max(0, ICAL.Duration.fromString(String(duration)).toSeconds() * 1000);
  return Math.max(0, instant(end.localMs, end.zone) - instant(start.localMs, start.zone));
}

/** Lengths of additional occurrences that are periods, by their starts in the clock of the series. */
function periodLengths(event: Component, start: Moment, zones: IndependentFile['zones']): Map<number, number> {
  const lengths = new Map<number, number>();
  for (const [, parameters, type, ...values] of all(event, 'rdate')) {
    if (type !== 'period') continue;
    for (const [first, last] of values as [string, string][]) {
      const from = moment(first, parameters, zones);
      const length = last.startsWith('P')
        ? ICAL.Duration.fromString(last).toSeconds() * 1000
        : moment(last, parameters, zones).localMs - from.localMs;
      lengths.set(inClockOf(start, from), length);
    }
  }
  return lengths;
}

/** Times of all occurrences that start before a moment, sorted. */
export function independentTimes({ events, zones }: IndependentFile, toMs: number): Times[] {
  const starts = events.map((event) => moments(event, 'dtstart', zones)[0]!);
  const found: Times[] = [];
  for (const [index, event] of events.entries()) {
    const start = starts[index]!;
    const length = lengthOf(event, start, zones);
    const add = (ms: number, lengthMs: number): unknown => found.push([ms, ms + lengthMs]);
    const uid = textOf(event, 'uid');
    const rule = all(event, 'rrule')[0]?.[3];
    const rdates = moments(event, 'rdate', zones).map((time) => inClockOf(start, time));
    if (all(event, 'recurrence-id').length > 0 || (!rule && rdates.length === 0)) {
      add(instant(start.localMs, start.zone), length);
      continue;
    }
    const members = rule ? expanded(ICAL.Recur.fromData(rule).toString(), start, toMs) : [start.localMs];
    const replaced = events
      .filter((other) => other !== event && uid !== '' && textOf(other, 'uid') === uid)
      .flatMap((other) => moments(other, 'recurrence-id', zones));
    const gone = new Set([...moments(event, 'exdate', zones), ...replaced].map((time) => inClockOf(start, time)));
    const lengths = periodLengths(event, start, zones);
    for (const ms of new Set([...members, ...rdates]))
      if (!gone.has(ms)) add(instant(ms, start.zone), lengths.get(ms) ?? length);
  }
  return found.filter(([ms]) => ms < toMs).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}
