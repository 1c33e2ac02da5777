import {
  lastEndMs,
  nextAfter,
  occurrenceAt,
  occurrencesBetween,
  parseRule,
  positionOf,
  validateSeries,
  type Series,
} from './index';
import { expand } from './series';
import { StepBudget } from './step-budget';

const DAY = 86_400_000;
const series = (rule: string, startLocalMs: number, timeZone = 'Europe/Berlin'): Series => ({
  rule: parseRule(rule),
  startLocalMs,
  timeZone,
  durationMs: 3_600_000,
  allDay: false,
});

/** Steps one week in 2040 costs. */
function cost(rule: string, startLocalMs: number, positions: boolean): { steps: number; found: number } {
  const steps = new StepBudget();
  const from = Date.UTC(2040, 5, 4);
  const found = expand(series(rule, startLocalMs), from, from + 7 * DAY, { positions }, steps).length;
  return { steps: steps.used, found };
}

describe('cost', () => {
  const rules: [string, number][] = [
    ['FREQ=DAILY', 7],
    ['FREQ=DAILY;COUNT=100000', 7],
    ['FREQ=DAILY;INTERVAL=3', 2],
    ['FREQ=WEEKLY;BYDAY=MO,WE,FR', 3],
    ['FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=90000', 3],
    ['FREQ=MONTHLY;BYMONTHDAY=5;COUNT=9000', 1],
    ['FREQ=MONTHLY;BYDAY=1MO', 1],
    ['FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;COUNT=9000', 0],
    ['FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=5;COUNT=900', 1],
    ['FREQ=HOURLY;INTERVAL=6;COUNT=1000000', 28],
    ['FREQ=MINUTELY;INTERVAL=7;COUNT=90000000', 1440],
  ];

  it.each(rules)('does not grow with the distance of DTSTART: %s', (rule, expected) => {
    for (const positions of [false, true]) {
      const near = cost(rule, Date.UTC(2040, 4, 28, 9), positions);
      const far = cost(rule, Date.UTC(1900, 0, 1, 9), positions);
      expect(far.found).toBeGreaterThanOrEqual(expected);
      expect(far.steps).toBeLessThanOrEqual(2 * Math.max(near.steps, 4));
    }
  });

  it('counts uneven rules over one cycle of the calendar at most', () => {
    const { steps, found } = cost('FREQ=WEEKLY;BYMONTH=6;BYDAY=MO,TU', Date.UTC(1900, 0, 1, 9), true);
    expect(found).toBe(2);
    expect(steps).toBeLessThan(21_000);
  });
});

describe('hostile rules', () => {
  const START = Date.UTC(2020, 0, 1, 9);
  const questions: [string, (s: Series) => unknown][] = [
    ['a day', (s) => occurrencesBetween(s, START, START + DAY, { positions: true })],
    ['a week far away', (s) => occurrencesBetween(s, Date.UTC(2900, 0, 1), Date.UTC(2900, 0, 8))],
    ['all', (s) => occurrencesBetween(s, 0, Date.UTC(3000, 0, 1))],
    ['the 12,345,678th', (s) => occurrenceAt(s, 12_345_678)],
    ['a number', (s) => positionOf(s, Date.UTC(2500, 0, 1, 9))],
    ['the next', (s) => nextAfter(s, Date.UTC(2500, 0, 1))],
    ['the end', (s) => lastEndMs(s) ?? 'endless'],
    ['a check', (s) => validateSeries(s)],
  ];
  const rules = [
    'FREQ=SECONDLY',
    'FREQ=SECONDLY;INTERVAL=7',
    'FREQ=SECONDLY;INTERVAL=99999999',
    'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=SECONDLY;INTERVAL=61;BYHOUR=5;BYMINUTE=7;BYSECOND=9;BYMONTHDAY=-31;BYDAY=MO',
    'FREQ=SECONDLY;INTERVAL=86401;BYSECOND=1;BYSETPOS=1',
    'FREQ=MINUTELY;INTERVAL=1441;BYHOUR=3;COUNT=2000000000',
    'FREQ=HOURLY;INTERVAL=25;BYYEARDAY=366',
    'FREQ=HOURLY;INTERVAL=168;BYDAY=MO',
    'FREQ=DAILY;INTERVAL=99999999',
    'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
    'FREQ=DAILY;INTERVAL=2;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;COUNT=2147483647',
    'FREQ=DAILY;BYDAY=MO;BYSETPOS=2',
    'FREQ=WEEKLY;INTERVAL=2147483647;COUNT=2147483647',
    'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO;BYSETPOS=366',
    'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYDAY=53MO',
    'FREQ=YEARLY;INTERVAL=2147483647;COUNT=2147483647',
    'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31;COUNT=1',
    'FREQ=YEARLY;BYMONTH=1;BYWEEKNO=40;BYDAY=MO',
    `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${list(0, 23)};BYMINUTE=${list(0, 59)};BYSECOND=${list(0, 59)};BYSETPOS=${list(1, 366)}`,
    `FREQ=YEARLY;BYYEARDAY=${list(1, 366)};BYWEEKNO=${list(1, 53)}`,
  ];

  it.each(rules)('%s: every question has an answer or a typed error', (rule) => {
    for (const [, ask] of questions) {
      const s = series(rule, START, 'UTC');
      try {
        ask(s);
      } catch (error) {
        expect(error).toMatchObject({ name: 'RecurrenceError', code: 'TOO_COMPLEX' });
      }
    }
  });

  it('says TOO_COMPLEX instead of expanding a second for a century', () => {
    const s = series('FREQ=SECONDLY', START);
    const century = () => occurrencesBetween(s, START, START + 36_500 * DAY);
    expect(century).toThrow(expect.objectContaining({ code: 'TOO_COMPLEX' }));
    expect(() => occurrencesBetween(s, START, START + 60_000, { maxSteps: 10 })).toThrow(
      expect.objectContaining({ code: 'TOO_COMPLEX' }),
    );
    // Those of the last hour still run.
    expect(occurrencesBetween(s, START, START + 60_000)).toHaveLength(3_659);
  });

  it('finds nothing, quickly, in rules that never match', () => {
    for (const rule of [
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
      'FREQ=MONTHLY;BYDAY=6MO',
      'FREQ=HOURLY;INTERVAL=84;BYDAY=MO',
      'FREQ=SECONDLY;INTERVAL=86401;BYHOUR=9;BYMONTH=2;BYMONTHDAY=30',
    ]) {
      const s = series(rule, START);
      expect(occurrenceAt(s, 1)).toBeUndefined();
      expect(nextAfter(s, 0)).toBeUndefined();
      expect(occurrencesBetween(s, 0, Date.UTC(2100, 0, 1))).toEqual([]);
    }
  });

  function list(from: number, to: number): string {
    return Array.from({ length: to - from + 1 }, (_, i) => from + i).join(',');
  }
});
