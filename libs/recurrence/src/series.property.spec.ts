import * as fc from 'fast-check';
import { DateTime, RRule, RRuleSet } from 'rrule-rust';
import { Temporal } from 'temporal-polyfill';
import {
  lastEndMs,
  nextAfter,
  occurrenceAt,
  occurrencesBetween,
  parseRule,
  RecurrenceError,
  positionOf,
  ZoneOffsets,
  type Series,
} from './index';

/**
 * Compares with independent code: rrule-rust expands the rule in zone-free time, Temporal turns every local time into
 * an instant (its `compatible` is decision D13), plain array work does UNTIL, RDATE, EXDATE, window and numbers.
 */
const RUNS = Number(process.env.RECURRENCE_PROPERTY_RUNS ?? 2_000);
const SEED = Number(process.env.RECURRENCE_PROPERTY_SEED ?? 20_260_101);

const DAY = 86_400_000;
const SECOND = 1_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'America/St_Johns',
  'Pacific/Apia',
  'Asia/Tehran',
  'Africa/Cairo',
  'Antarctica/Troll',
];
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** Typical length of a period in ms, for windows that hold a handful of occurrences. */
const PERIOD: Record<string, number> = {
  YEARLY: 365 * DAY,
  MONTHLY: 30 * DAY,
  WEEKLY: 7 * DAY,
  DAILY: DAY,
  HOURLY: DAY / 24,
  MINUTELY: DAY / 1440,
  SECONDLY: SECOND,
};

const some = <T>(value: fc.Arbitrary<T>, max: number) => fc.uniqueArray(value, { minLength: 1, maxLength: max });
const signed = (max: number) => fc.integer({ min: -max, max }).filter((n) => n !== 0);
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, { nil: undefined, freq });

/** The parts a frequency may carry; the generator stays inside what the RFC allows. */
function partsFor(freq: string): fc.Arbitrary<Record<string, string | undefined>> {
  const list = (numbers: fc.Arbitrary<number>, max: number, weight = 2) =>
    maybe(
      some(numbers, max).map((n) => n.join(',')),
      weight,
    );
  const yearlyOrMonthly = freq === 'YEARLY' || freq === 'MONTHLY';
  const subDaily = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(freq);
  const ordinal =
    freq === 'MONTHLY' ? fc.constantFrom(1, 2, 3, 4, 5, -1, -2, -3, -4) : fc.oneof(signed(52), fc.constant(53));
  const weekday = fc.constantFrom(...WEEKDAYS);
  const ranked = fc.tuple(fc.oneof(fc.constant(''), ordinal.map(String)), weekday).map((t) => t.join(''));
  return fc
    .record({
      BYMONTH: list(fc.integer({ min: 1, max: 12 }), 4, 1),
      BYWEEKNO:
        freq === 'YEARLY'
          ? maybe(
              some(signed(51), 3).map((n) => n.join(',')),
              1,
            )
          : fc.constant(undefined),
      BYYEARDAY: freq === 'YEARLY' || subDaily ? list(signed(366), 5, 1) : fc.constant(undefined),
      BYMONTHDAY: freq === 'WEEKLY' ? fc.constant(undefined) : list(signed(31), 5, 1),
      BYDAY: maybe(
        some(yearlyOrMonthly ? ranked : weekday, 4).map((d) => d.join(',')),
        2,
      ),
      BYHOUR: list(fc.integer({ min: 0, max: 23 }), 3, 1),
      BYMINUTE: list(fc.integer({ min: 0, max: 59 }), 3, 1),
      BYSECOND: list(fc.integer({ min: 0, max: 59 }), 2, 1),
      BYSETPOS: maybe(
        some(signed(4), 2).map((n) => n.join(',')),
        1,
      ),
      WKST: maybe(weekday, 1),
    })
    .map((parts) => {
      const by = Object.keys(parts).some(
        (k) => k.startsWith('BY') && k !== 'BYSETPOS' && parts[k as keyof typeof parts],
      );
      return by ? parts : { ...parts, BYSETPOS: undefined };
    });
}

const caseArbitrary = fc
  .constantFrom('YEARLY', 'MONTHLY', 'MONTHLY', 'WEEKLY', 'WEEKLY', 'DAILY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY')
  .chain((freq) =>
    fc.record({
      freq: fc.constant(freq),
      parts: partsFor(freq),
      interval: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100 })),
      end: fc.oneof(
        fc.constant({}),
        fc.record({ count: fc.integer({ min: 1, max: 60 }) }),
        fc.record({ until: fc.integer({ min: 0, max: 40 }), kind: fc.constantFrom('utc', 'local', 'date') }),
      ),
      // 1969 to 2037: where rrule-rust and every zone table agree on the calendar
      start: fc.integer({ min: -DAY / SECOND, max: (68 * 365 * DAY) / SECOND }).map((s) => s * SECOND),
      zone: fc.constantFrom(...ZONES),
      from: fc.integer({ min: -3, max: 40 }),
      length: fc.integer({ min: 1, max: 25 }),
      jitter: fc.integer({ min: 0, max: DAY / SECOND }).map((s) => s * SECOND),
      duration: fc.constantFrom(0, 1_800_000, 5_400_000, DAY, 3 * DAY),
      exclude: fc.array(fc.nat(20), { maxLength: 3 }),
      add: fc.array(fc.integer({ min: -10, max: 100 }), { maxLength: 2 }),
    }),
  );
type Case = typeof caseArbitrary extends fc.Arbitrary<infer T> ? T : never;

function ruleText(c: Case): string {
  const parts = Object.entries(c.parts).filter(([, value]) => value !== undefined);
  const text = [`FREQ=${c.freq}`, `INTERVAL=${c.interval}`, ...parts.map(([k, v]) => `${k}=${v}`)];
  if ('count' in c.end) text.push(`COUNT=${c.end.count}`);
  return text.join(';');
}

/** Rules that rrule-rust reads differently; the RFC decides for the reading here. */
function explained(c: Case): boolean {
  const { BYDAY } = c.parts;
  // A list of days is the union of its entries; rrule-rust intersects `MO` with `1MO` in one list.
  return BYDAY !== undefined && /\d/.test(BYDAY) && /(^|,)[A-Z]/.test(BYDAY);
}

/** "MUST NOT be used with a numeric value … when the BYWEEKNO rule part is specified": rrule-rust takes it. */
function forbidden(c: Case): boolean {
  return c.parts.BYWEEKNO !== undefined && /\d/.test(c.parts.BYDAY ?? '');
}

/**
 * "Information, not contained in the rule … derived from DTSTART": a week without a day means the weekday of DTSTART;
 * rrule-rust takes all seven days, so it is told.
 */
function toldTheWeekday(c: Case): Case {
  const { BYWEEKNO, BYDAY, BYMONTHDAY, BYYEARDAY } = c.parts;
  if (!BYWEEKNO || BYDAY || BYMONTHDAY || BYYEARDAY) return c;
  return { ...c, parts: { ...c.parts, BYDAY: WEEKDAYS[(new Date(c.start).getUTCDay() + 6) % 7] } };
}

const utcDateTime = (ms: number) => {
  const d = new Date(ms);
  return DateTime.utc(
    d.getUTCFullYear(),
    d.getUTCMonth() + 1,
    d.getUTCDate(),
    d.getUTCHours(),
    d.getUTCMinutes(),
    d.getUTCSeconds(),
  );
};

const toMs = (t: DateTime) => Date.UTC(t.year, t.month - 1, t.day, t.hour, t.minute, t.second);

function referenceInstant(localMs: number, zone: string): number {
  if (zone === 'UTC') return localMs;
  const plain = Temporal.PlainDateTime.from(new Date(localMs).toISOString().slice(0, 19));
  return plain.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
}

function temporalOffset(instantMs: number, zone: string): number {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
}

const step = (c: Case) => PERIOD[c.freq]! * c.interval;

describe('property: the same occurrences as independent code', () => {
  it(`in ${RUNS} random rules, zones and windows`, () => {
    let compared = 0;
    fc.assert(
      fc.property(caseArbitrary, (c) => {
        fc.pre(!explained(c));
        const text = ruleText(c);
        if (forbidden(c)) {
          expect(() => parseRule(text)).toThrow(RecurrenceError);
          return;
        }
        const origin = referenceInstant(c.start, c.zone);
        const from = origin + Math.floor((c.from * step(c) * 0.9) / SECOND) * SECOND - (c.jitter % step(c));
        const to = from + c.length * step(c);
        // The local times that can show in the window: with a margin where the clocks change.
        const offset = c.start - origin;
        const stable = [from - 2 * DAY, from, to, to + 2 * DAY].every((t) => temporalOffset(t, c.zone) === offset);
        const far = Math.max(to + offset, c.start) + (stable ? 0 : 26 * 3_600_000);

        const reference = new RRuleSet({
          dtstart: utcDateTime(c.start),
          tzid: 'UTC',
          rrules: [RRule.parse(ruleText(toldTheWeekday(c)))],
        });
        let members = reference.between(utcDateTime(c.start), utcDateTime(far), true).map(toMs);
        fc.pre(members.length < 20_000);

        let until = '';
        if ('until' in c.end) {
          const ms = c.start + Math.floor((c.end.until * step(c)) / DAY) * (DAY / 2) + c.jitter;
          const iso = new Date(ms).toISOString().replace(/[-:]|\.000/g, '');
          if (c.end.kind === 'utc') {
            until = `;UNTIL=${iso}`;
            members = members.filter((m) => (Math.abs(m - ms) > 2 * DAY ? m < ms : referenceInstant(m, c.zone) <= ms));
          } else if (c.end.kind === 'local') {
            until = `;UNTIL=${iso.slice(0, -1)}`;
            members = members.filter((m) => m <= ms);
          } else {
            until = `;UNTIL=${iso.slice(0, 8)}`;
            members = members.filter((m) => Math.floor(m / DAY) <= Math.floor(ms / DAY));
          }
        }
        const added = c.add.map((n) => c.start + n * 3_600_000);
        const excluded = c.exclude.flatMap((i) => members[i] ?? []);
        const series: Series = {
          rule: parseRule(text + until),
          startLocalMs: c.start,
          timeZone: c.zone,
          durationMs: c.duration,
          allDay: false,
          rdates: added,
          exdates: excluded,
        };
        const sequence = [...new Set([...members, ...added])].sort((a, b) => a - b);
        // Occurrences that the window can show: local times near it.
        const expected = sequence
          .map((localMs, i) => ({ localMs, position: i + 1 }))
          .filter(({ localMs }) => localMs > from - c.duration - 2 * DAY && localMs < to + 2 * DAY)
          .map((o) => ({ ...o, startMs: referenceInstant(o.localMs, c.zone) }))
          .map((o) => ({ ...o, endMs: o.startMs + c.duration }))
          .filter((o) => o.startMs < to && (o.endMs > from || (c.duration === 0 && o.startMs === from)))
          .filter((o) => !excluded.includes(o.localMs))
          .sort((a, b) => a.startMs - b.startMs || a.localMs - b.localMs);

        const label = `${text}${until} from ${new Date(c.start).toISOString()}`;
        expect({ label, found: occurrencesBetween(series, from, to, { positions: true }) }).toEqual({
          label,
          found: expected,
        });
        // The numbers, asked for one by one.
        for (const i of [0, Math.floor(sequence.length / 2), sequence.length - 1]) {
          if (i < 0 || i >= sequence.length || sequence[i]! > far) continue;
          expect({ label, at: occurrenceAt(series, i + 1)?.localMs }).toEqual({ label, at: sequence[i] });
          expect({ label, position: positionOf(series, sequence[i]!) }).toEqual({ label, position: i + 1 });
        }
        const later = expected.find((o) => o.startMs > from);
        if (later) expect({ label, next: nextAfter(series, from)?.startMs }).toEqual({ label, next: later.startMs });
        const last = lastEndMs(series);
        if (last !== undefined)
          for (const o of expected.slice(-2)) expect(o.endMs).toBeLessThanOrEqual(last + 2 * 3_600_000);
        compared += expected.length;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // A generator that never hits a window would prove nothing.
    expect(compared).toBeGreaterThan(RUNS);
  }, 3_600_000);

  it('in resolving wall-clock times', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: Date.UTC(1960, 0, 1) / SECOND, max: Date.UTC(2060, 0, 1) / SECOND }),
        fc.integer({ min: -10_800, max: 10_800 }),
        (zone, second, near) => {
          const offsets = ZoneOffsets.forZone(zone);
          // Mostly right beside a change of the clocks: elsewhere there is nothing to get wrong.
          const change = offsets.transitions(second * SECOND, second * SECOND + 300 * DAY)[0];
          const local = (change ? change.atMs + offsets.offsetAt(change.atMs) : second * SECOND) + near * SECOND;
          expect(offsets.localToInstant(local)).toBe(referenceInstant(local, zone));
        },
      ),
      { numRuns: Math.min(RUNS, 20_000), seed: SEED },
    );
  }, 600_000);
});
