import { lastEndMs, occurrencesBetween, parseRule, resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import type { RecurrenceRule, Series } from '@groupware/recurrence';
import { WINDOWS_TO_IANA_MAP } from 'windows-iana';
import type { ReadComponent } from './component';
import { DAY_MS, parseTime, parseUtcOffset } from './values';

/** From `startLocalMs` on, and again at every repetition, the zone is `toMs` ahead of UTC, before that `fromMs`. */
interface Observance {
  readonly fromMs: number;
  readonly toMs: number;
  readonly startLocalMs: number;
  readonly rule?: RecurrenceRule;
  readonly rdates: readonly number[];
}

interface Onset {
  readonly atMs: number;
  readonly offsetMs: number;
}

const MAX_OBSERVANCES = 500;
/** Observances that repeat by a rule; the longest histories of real zones have about 30. */
const MAX_RULES = 60;
/** Onsets of one rule in the two years that are looked at; clocks change at one date a year. */
const MAX_RULE_TIMES = 8;
const MAX_RULE_STEPS = 2_000;
/** Of all observances together. */
const MAX_RDATES = 3_000;
const MAX_CACHED_YEARS = 50;
/** Years in which zones are compared; outside of them neither ICU nor a VTIMEZONE says anything reliable. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2037;
const SAMPLE_MS = 5 * DAY_MS;
/** VTIMEZONEs change the clocks some hours or a second off the true moment. */
const TOLERANCE_MS = 3 * 3_600_000;

/** Tried first, so that rules shared by many zones give one that people know. */
const COMMON_ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'Europe/Helsinki',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'America/Halifax',
  'America/Sao_Paulo',
  'Australia/Sydney',
  'Pacific/Auckland',
];

let candidates: readonly string[] | undefined;

/** The rules of a VTIMEZONE (RFC 5545 §3.6.5). */
export class ZoneDefinition {
  private readonly onsetsOfYear = new Map<number, readonly Onset[]>();

  private constructor(
    private readonly observances: readonly Observance[],
    /** Name that the definition gives besides its TZID: X-LIC-LOCATION or TZID-ALIAS-OF, resolved. */
    readonly location: string | undefined,
  ) {}

  /** Reads a VTIMEZONE; broken observances are left out. */
  static read(component: ReadComponent): ZoneDefinition {
    const observances: Observance[] = [];
    let rdates = 0;
    let rules = 0;
    for (const part of component.components) {
      if (part.name !== 'STANDARD' && part.name !== 'DAYLIGHT') continue;
      const observance = readObservance(part, MAX_RDATES - rdates);
      if (!observance || observances.length >= MAX_OBSERVANCES) continue;
      if (observance.rule && ++rules > MAX_RULES) continue;
      observances.push(observance);
      rdates += observance.rdates.length;
    }
    let location: string | undefined;
    for (const { name, value } of component.properties) {
      if (name === 'x-lic-location' || name === 'tzid-alias-of') location ??= resolveTimeZone(value);
    }
    return new ZoneDefinition(observances, location);
  }

  /**
   * Offset from UTC in ms at a wall clock time: of two such times the first one, in a gap the offset before it
   * (RFC 5545 §3.3.5). `undefined` when nothing is defined.
   */
  offsetAtLocal(localMs: number): number | undefined {
    const before = this.offsetAt(localMs - DAY_MS);
    const after = this.offsetAt(localMs + DAY_MS);
    if (before === undefined || after === undefined) return undefined;
    return this.offsetAt(localMs - before) !== before && this.offsetAt(localMs - after) === after ? after : before;
  }

  /** The only offset the definition knows, in ms. */
  singleOffset(): number | undefined {
    const first = this.observances.at(0)?.toMs;
    return this.observances.every(({ toMs }) => toMs === first) ? first : undefined;
  }

  /** A known zone that keeps the same time in the year of `localMs`: `preferred` if it does, else the best known one. */
  findZone(localMs: number, preferred: string): string | undefined {
    if (this.observances.length === 0) return undefined;
    const year = Math.min(Math.max(new Date(localMs).getUTCFullYear(), FIRST_YEAR), LAST_YEAR);
    const samples = this.samples(year);
    // Without changes of the clock an offset says it all; a far country that happens to share it would only mislead.
    const zones = this.singleOffset() === undefined ? [preferred, ...zoneCandidates()] : [preferred];
    return zones.find((zone) => {
      const offsets = ZoneOffsets.forZone(zone);
      return samples.every(({ atMs, offsetMs }) => offsets.offsetAt(atMs) === offsetMs);
    });
  }

  /** Offset from UTC in ms at an instant. */
  offsetAt(instantMs: number): number | undefined {
    const onsets = this.onsets(new Date(instantMs).getUTCFullYear());
    let offset: number | undefined;
    for (const onset of onsets) {
      if (onset.atMs > instantMs) break;
      offset = onset.offsetMs;
    }
    return offset ?? this.earliest()?.fromMs;
  }

  private samples(year: number): Onset[] {
    const from = Date.UTC(year, 0, 1);
    const to = Date.UTC(year + 1, 0, 1);
    const changes = this.onsets(year).filter(({ atMs }) => atMs >= from && atMs < to);
    const times = changes.flatMap(({ atMs }) => [atMs - TOLERANCE_MS, atMs + TOLERANCE_MS]);
    for (let at = from; at < to; at += SAMPLE_MS) {
      if (!changes.some(({ atMs }) => Math.abs(atMs - at) < TOLERANCE_MS)) times.push(at);
    }
    return times.map((atMs) => ({ atMs, offsetMs: this.offsetAt(atMs) ?? 0 }));
  }

  /** All onsets of a year with the last ones before it, in order. */
  private onsets(year: number): readonly Onset[] {
    const known = this.onsetsOfYear.get(year);
    if (known) return known;
    const from = Date.UTC(year, 0, 1) - 2 * DAY_MS;
    const to = Date.UTC(year + 1, 0, 1) + 2 * DAY_MS;
    const onsets: Onset[] = [];
    for (const { fromMs, toMs, startLocalMs, rule, rdates } of this.observances) {
      const times = [startLocalMs, ...rdates].filter((time) => time < to);
      if (rule)
        times.push(...ruleTimes({ rule, startLocalMs, timeZone: 'UTC', durationMs: 0, allDay: false }, from, to));
      for (const time of times) onsets.push({ atMs: time - fromMs, offsetMs: toMs });
    }
    onsets.sort((a, b) => a.atMs - b.atMs);
    if (this.onsetsOfYear.size >= MAX_CACHED_YEARS) this.onsetsOfYear.clear();
    this.onsetsOfYear.set(year, onsets);
    return onsets;
  }

  private earliest(): Observance | undefined {
    return this.observances.reduce<Observance | undefined>(
      (first, next) => (first && first.startLocalMs - first.fromMs <= next.startLocalMs - next.fromMs ? first : next),
      undefined,
    );
  }
}

/** Repetitions from a year before the window to its end, and the very last one when the rule has ended before. */
function ruleTimes(series: Series, fromMs: number, toMs: number): number[] {
  try {
    const near = occurrencesBetween(series, fromMs - 370 * DAY_MS, toMs, {
      limit: MAX_RULE_TIMES,
      maxSteps: MAX_RULE_STEPS,
    });
    const last = lastEndMs(series);
    return [...near.map(({ localMs }) => localMs), ...(last !== undefined && last < fromMs ? [last] : [])];
  } catch {
    return []; // a rule too odd for a zone
  }
}

function readObservance(component: ReadComponent, maxRdates: number): Observance | undefined {
  let fromMs: number | undefined;
  let toMs: number | undefined;
  let startLocalMs: number | undefined;
  let ruleText: string | undefined;
  const rdates: number[] = [];
  for (const { name, value, raw } of component.properties) {
    if (name === 'tzoffsetfrom') fromMs = parseUtcOffset(value);
    else if (name === 'tzoffsetto') toMs = parseUtcOffset(value);
    else if (name === 'dtstart') startLocalMs = parseTime(value)?.localMs;
    else if (name === 'rrule') ruleText = value;
    else if (name === 'rdate') {
      for (const text of raw.slice(3) as string[]) {
        const time = parseTime(text)?.localMs;
        if (time !== undefined && rdates.length < maxRdates) rdates.push(time);
      }
    }
  }
  if (toMs === undefined || startLocalMs === undefined) return undefined;
  const before = fromMs ?? toMs;
  return { fromMs: before, toMs, startLocalMs, rule: ruleText ? readRule(ruleText, before) : undefined, rdates };
}

function readRule(text: string, offsetFromMs: number): RecurrenceRule | undefined {
  try {
    const rule = parseRule(text);
    if (rule.frequency !== 'YEARLY') return undefined;
    // UNTIL is an instant here while the rule is expanded on the wall clock (RFC 5545 §3.6.5).
    return rule.until?.kind === 'utc' ? { ...rule, until: { kind: 'local', ms: rule.until.ms + offsetFromMs } } : rule;
  } catch {
    return undefined;
  }
}

/** One zone for each set of rules that is in use: the main zones of the Windows table. */
function zoneCandidates(): readonly string[] {
  candidates ??= [
    ...new Set([
      ...COMMON_ZONES,
      ...WINDOWS_TO_IANA_MAP.filter((entry) => entry.territory === '001').map((entry): string => entry.iana[0]),
    ]),
  ].filter((zone) => zone.includes('/') && !zone.startsWith('Etc/') && resolveTimeZone(zone) !== undefined);
  return candidates;
}
