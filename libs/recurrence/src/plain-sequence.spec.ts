import * as fc from 'fast-check';
import { MAX_LOCAL_MS, MIN_LOCAL_MS } from './calendar-math';
import { parseRule } from './index';
import { plainSequence, type Sequence } from './plain-sequence';
import { RuleSequence } from './rule-sequence';
import { StepBudget } from './step-budget';

const RUNS = Number(process.env.RECURRENCE_PROPERTY_RUNS ?? 500);
const DAY = 86_400_000;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

const weekdays = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }).map((days) => `;BYDAY=${days.join()}`);
const monthDay = fc.integer({ min: 1, max: 28 }).map((day) => `;BYMONTHDAY=${day}`);
const month = fc.integer({ min: 1, max: 12 }).map((number) => `;BYMONTH=${number}`);
const interval = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 20 }), fc.constantFrom(5_000, 2_147_483_647));
const nothing = fc.constant('');
const weekStart = fc.oneof(
  nothing,
  fc.constantFrom(...WEEKDAYS).map((day) => `;WKST=${day}`),
);

const rule = fc.oneof(
  interval.map((n) => `FREQ=DAILY;INTERVAL=${n}`),
  weekdays.map((days) => `FREQ=DAILY${days}`),
  fc
    .tuple(interval, fc.oneof(nothing, weekdays), weekStart)
    .map(([n, days, first]) => `FREQ=WEEKLY;INTERVAL=${n}${days}${first}`),
  fc.tuple(interval, fc.oneof(nothing, monthDay)).map(([n, day]) => `FREQ=MONTHLY;INTERVAL=${n}${day}`),
  fc
    .tuple(interval, fc.oneof(nothing, month), monthDay)
    .map(([n, of, day]) => `FREQ=YEARLY;INTERVAL=${n}${of}${of && day}`),
);
/** Any days up to the 28th, between the ends of time and near them. */
const start = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 0, max: 60 * 365 }).map((day) => day * DAY),
      fc.integer({ min: 0, max: 800 }).map((days) => MIN_LOCAL_MS + days * DAY),
      fc.integer({ min: 0, max: 800 }).map((days) => MAX_LOCAL_MS + 1 - (days + 1) * DAY),
    ),
    fc.nat(DAY - 1),
  )
  .map(([day, time]) => day + time)
  .filter((ms) => new Date(ms).getUTCDate() <= 28);

const listed = (sequence: Sequence, from: number, to: number): number[] => {
  const found: number[] = [];
  sequence.scan(from, to, new StepBudget(), (local) => found.push(local) < 30);
  return found;
};

describe('a plain sequence', () => {
  it('answers every question as the general engine does', () => {
    fc.assert(
      fc.property(
        rule,
        start,
        fc.integer({ min: -400, max: 40_000 }),
        fc.nat(800),
        fc.nat(60),
        (text, startMs, after, days, n) => {
          const parsed = parseRule(text);
          const plain = plainSequence(parsed, startMs)!;
          const general = new RuleSequence(parsed, startMs, false);
          const from = startMs + after * (DAY / 3);
          const found = listed(general, from, from + days * DAY);
          expect(listed(plain, from, from + days * DAY)).toEqual(found);
          expect(listed(plain, -Infinity, Infinity)).toEqual(listed(general, -Infinity, Infinity));
          for (const local of [from, startMs, startMs + 1, Infinity, MAX_LOCAL_MS, ...found.slice(0, 3)]) {
            const steps = new StepBudget();
            expect(plain.countBefore(local, steps)).toBe(general.countBefore(local, steps));
            expect(plain.has(local)).toBe(general.has(local));
          }
          for (const wanted of [0, 1, n, 100_000, 4_000_000_000])
            expect(plain.nth(wanted, new StepBudget())).toBe(general.nth(wanted, new StepBudget()));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it.each([
    'FREQ=HOURLY',
    'FREQ=DAILY;INTERVAL=2;BYDAY=MO',
    'FREQ=DAILY;BYMONTH=3',
    'FREQ=WEEKLY;BYHOUR=9,10',
    'FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1',
    'FREQ=MONTHLY',
    'FREQ=MONTHLY;BYMONTHDAY=29',
    'FREQ=MONTHLY;BYMONTHDAY=-1',
    'FREQ=MONTHLY;BYMONTHDAY=1,2',
    'FREQ=MONTHLY;BYDAY=1MO',
    'FREQ=MONTHLY;BYMONTH=3;BYMONTHDAY=1',
    'FREQ=YEARLY',
    'FREQ=YEARLY;BYMONTHDAY=1',
    'FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=1',
    'FREQ=YEARLY;BYWEEKNO=3',
    'FREQ=YEARLY;BYYEARDAY=3',
  ])('is not made of %s on the 29th', (text) => {
    expect(plainSequence(parseRule(text), Date.UTC(2024, 1, 29, 9))).toBeUndefined();
  });
});
