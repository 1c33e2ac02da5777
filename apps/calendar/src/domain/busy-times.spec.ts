import fc from 'fast-check';
import { ExpansionBudget, occurrencesBetween } from '@groupware/recurrence';
import { appointment } from '../testing/appointment.builder';
import { type Appointment, ENDLESS } from './appointment';
import { toBusyTimes, findOverlaps } from './busy-times';
import { withRangeEnd } from './exception';
import { DAY_MS } from './local-days';
import { seriesOf } from './series';

const HOUR = 3_600_000;
const base = Date.UTC(2024, 0, 1);

const series = (startMs: number, lengthMs: number, rule: string, timeZone = 'UTC') =>
  withRangeEnd(appointment({ id: 7, seriesId: 7, startMs, endMs: startMs + lengthMs, rule, timeZone }));

const overlaps = (
  own: Appointment,
  other: Appointment,
  zone: string,
  since: number,
  limit: number,
  steps = 1_000_000,
) => findOverlaps(toBusyTimes(own, zone), toBusyTimes(other, zone), since, limit, new ExpansionBudget(steps));

const starts = async (own: Appointment, other: Appointment, since = 0, limit = 1000) =>
  (await overlaps(own, other, 'UTC', since, limit)).map(({ startMs }) => startMs);

describe('busy times', () => {
  it('touch without overlapping', async () => {
    const nine = appointment({ startMs: base + 9 * HOUR, endMs: base + 10 * HOUR });
    const ten = appointment({ startMs: base + 10 * HOUR, endMs: base + 11 * HOUR });
    expect(await starts(nine, ten)).toEqual([]);
    expect(await starts(nine, { ...ten, startMs: ten.startMs - 1 })).toEqual([ten.startMs - 1]);
  });

  it('take whole days in the zone of the other appointment', async () => {
    const day = appointment({ fullTime: true, floating: true, startMs: base, endMs: base + DAY_MS });
    const early = appointment({ startMs: base - HOUR, endMs: base });
    expect(await overlaps(early, day, 'Europe/Berlin', 0, 9)).toHaveLength(1);
    expect(await overlaps(early, day, 'UTC', 0, 9)).toHaveLength(0);
  });

  it('find a meeting of two endless series years ahead', async () => {
    // The 29th of February at nine, and every Tuesday at half past nine.
    const leap = series(Date.UTC(2024, 1, 29, 9), HOUR, 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29');
    const tuesdays = series(Date.UTC(2024, 2, 4, 9, 30), HOUR, 'FREQ=WEEKLY;BYDAY=TU');
    expect(await starts(leap, tuesdays, 0, 1)).toEqual([Date.UTC(2028, 1, 29, 9, 30)]);
  });

  it('are those of every pair of occurrences that overlap', async () => {
    const frequency = fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY');
    const part = fc.record({
      start: fc.integer({ min: 0, max: 100 }),
      length: fc.integer({ min: 1, max: 30 }),
      rule: fc.tuple(frequency, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 30 })),
      single: fc.boolean(),
      zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
    });
    const build = ({
      start,
      length,
      rule: [freq, interval, count],
      single,
      zone,
    }: typeof part extends fc.Arbitrary<infer T> ? T : never) =>
      single
        ? appointment({ startMs: base + start * HOUR, endMs: base + (start + length) * HOUR })
        : series(base + start * HOUR, length * HOUR, `FREQ=${freq};INTERVAL=${interval};COUNT=${count}`, zone);
    await fc.assert(
      fc.asyncProperty(part, part, fc.integer({ min: 0, max: 60 }), async (left, right, since) => {
        const [own, other] = [build(left), build(right)];
        const sinceMs = base + since * DAY_MS;
        const times = (entry: typeof own) =>
          entry.rule === null ? [entry] : occurrencesBetween(seriesOf(entry), 0, base + 9999 * DAY_MS);
        const expected = times(other)
          .filter(({ endMs }) => endMs > sinceMs)
          .filter(({ startMs, endMs }) =>
            times(own).some((time) => time.endMs > sinceMs && time.startMs < endMs && time.endMs > startMs),
          )
          .map(({ startMs }) => startMs);
        expect(await starts(own, other, sinceMs)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe('two series that meet late', () => {
  const at = (rule: string, hour: number, day = 6, fields: Partial<Appointment> = {}): Appointment =>
    appointment({
      id: day,
      seriesId: day,
      rule,
      startMs: Date.UTC(2020, 0, day, hour),
      endMs: Date.UTC(2020, 0, day, hour + 1),
      rangeEndMs: ENDLESS,
      ...fields,
    });
  const meet = (left: Appointment, right: Appointment) => starts(left, right, 0, 1);

  it('are found after years, however many occurrences lie between', async () => {
    // Every 101 days and every 103 days, a day apart: they meet once in 28 years.
    const [left, right] = [at('FREQ=DAILY;INTERVAL=101', 9, 6), at('FREQ=DAILY;INTERVAL=103', 9, 7)];
    const found = await meet(left, right);
    const expected = Array.from({ length: 103 }, (_, index) => index * 101).find(
      (days) => (days - 1) % 103 === 0 && days > 0,
    )!;
    expect(found).toEqual([Date.UTC(2020, 0, 6 + expected, 9)]);
    // Once a year on a Friday the 13th of March.
    expect(await meet(at('FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=13', 9), at('FREQ=WEEKLY;BYDAY=FR', 9, 10))).toEqual([
      Date.UTC(2020, 2, 13, 9),
    ]);
  });

  it('are compared for one cycle only when they never meet', async () => {
    // Two years of both, not 28.
    const [daily, weekly] = [at('FREQ=DAILY', 9), at('FREQ=WEEKLY;BYDAY=MO,WE', 11, 7)];
    expect(await overlaps(daily, weekly, 'UTC', 0, 1, 2_000)).toEqual([]);
  });

  it('are compared in steps that have an end, and in no more than one look at each of their occurrences', async () => {
    const [minutely, other] = [at('FREQ=MINUTELY;INTERVAL=10', 9), at('FREQ=MINUTELY;INTERVAL=10', 9, 7)];
    const late = { ...other, startMs: other.startMs + 5 * 60_000, endMs: other.startMs + 5 * 60_000 };
    await expect(overlaps({ ...minutely, endMs: minutely.startMs }, late, 'UTC', 0, 1, 300_000)).rejects.toMatchObject({
      code: 'TOO_COMPLEX',
    });
  });

  it('in two zones meet when the clocks of one of them change', async () => {
    const utc = at('FREQ=DAILY', 8, 6);
    // 09:00 in Berlin is 08:00 UTC in winter only.
    const berlin = at('FREQ=DAILY', 7, 7, { timeZone: 'Europe/Berlin', endMs: Date.UTC(2020, 0, 7, 7, 30) });
    expect(await meet(utc, berlin)).toEqual([]);
    const later = at('FREQ=DAILY', 9, 7, { timeZone: 'Europe/Berlin', endMs: Date.UTC(2020, 0, 7, 9, 30) });
    expect(await meet(utc, later)).toEqual([Date.UTC(2020, 2, 29, 8)]);
  });
});
