import fc from 'fast-check';
import { occurrencesBetween } from '@groupware/recurrence';
import { appointment } from '../testing/appointment.builder';
import { type Appointment, ENDLESS } from './appointment';
import { busyTimesOf, overlaps } from './busy-times';
import { withRangeEnd } from './exception';
import { DAY_MS } from './local-days';
import { seriesOf } from './series';

const HOUR = 3_600_000;
const base = Date.UTC(2024, 0, 1);

const series = (startMs: number, lengthMs: number, rule: string, timeZone = 'UTC') =>
  withRangeEnd(appointment({ id: 7, seriesId: 7, startMs, endMs: startMs + lengthMs, rule, timeZone }));

const starts = (own: ReturnType<typeof appointment>, other: ReturnType<typeof appointment>, since = 0, limit = 1000) =>
  overlaps(busyTimesOf(own, 'UTC'), busyTimesOf(other, 'UTC'), since, limit).map(({ startMs }) => startMs);

describe('busy times', () => {
  it('touch without overlapping', () => {
    const nine = appointment({ startMs: base + 9 * HOUR, endMs: base + 10 * HOUR });
    const ten = appointment({ startMs: base + 10 * HOUR, endMs: base + 11 * HOUR });
    expect(starts(nine, ten)).toEqual([]);
    expect(starts(nine, { ...ten, startMs: ten.startMs - 1 })).toEqual([ten.startMs - 1]);
  });

  it('take whole days in the zone of the other appointment', () => {
    const day = appointment({ fullTime: true, floating: true, startMs: base, endMs: base + DAY_MS });
    const early = appointment({ startMs: base - HOUR, endMs: base });
    expect(overlaps(busyTimesOf(early, 'Europe/Berlin'), busyTimesOf(day, 'Europe/Berlin'), 0, 9)).toHaveLength(1);
    expect(overlaps(busyTimesOf(early, 'UTC'), busyTimesOf(day, 'UTC'), 0, 9)).toHaveLength(0);
  });

  it('find a meeting of two endless series years ahead', () => {
    // The 29th of February at nine, and every Tuesday at half past nine.
    const leap = series(Date.UTC(2024, 1, 29, 9), HOUR, 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29');
    const tuesdays = series(Date.UTC(2024, 2, 4, 9, 30), HOUR, 'FREQ=WEEKLY;BYDAY=TU');
    expect(starts(leap, tuesdays, 0, 1)).toEqual([Date.UTC(2028, 1, 29, 9, 30)]);
  });

  it('are those of every pair of occurrences that overlap', () => {
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
    fc.assert(
      fc.property(part, part, fc.integer({ min: 0, max: 60 }), (left, right, since) => {
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
        expect(starts(own, other, sinceMs)).toEqual(expected);
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
  const meet = (left: Appointment, right: Appointment) =>
    overlaps(busyTimesOf(left, 'UTC'), busyTimesOf(right, 'UTC'), 0, 1).map(({ startMs }) => startMs);

  it('are found after years, however many occurrences lie between', () => {
    // Every 101 days and every 103 days, a day apart: they meet once in 28 years.
    const [left, right] = [at('FREQ=DAILY;INTERVAL=101', 9, 6), at('FREQ=DAILY;INTERVAL=103', 9, 7)];
    const found = meet(left, right);
    const expected = Array.from({ length: 103 }, (_, index) => index * 101).find(
      (days) => (days - 1) % 103 === 0 && days > 0,
    )!;
    expect(found).toEqual([Date.UTC(2020, 0, 6 + expected, 9)]);
    // Once a year on a Friday the 13th of March.
    expect(meet(at('FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=13', 9), at('FREQ=WEEKLY;BYDAY=FR', 9, 10))).toEqual([
      Date.UTC(2020, 2, 13, 9),
    ]);
  });

  it('are compared for one cycle only when they never meet', () => {
    const began = performance.now();
    for (let index = 0; index < 50; index++)
      expect(meet(at('FREQ=DAILY', 9), at('FREQ=WEEKLY;BYDAY=MO,WE', 11, 7))).toEqual([]);
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it('in two zones meet when the clocks of one of them change', () => {
    const utc = at('FREQ=DAILY', 8, 6);
    // 09:00 in Berlin is 08:00 UTC in winter only.
    const berlin = at('FREQ=DAILY', 7, 7, { timeZone: 'Europe/Berlin', endMs: Date.UTC(2020, 0, 7, 7, 30) });
    expect(meet(utc, berlin)).toEqual([]);
    const later = at('FREQ=DAILY', 9, 7, { timeZone: 'Europe/Berlin', endMs: Date.UTC(2020, 0, 7, 9, 30) });
    expect(meet(utc, later)).toEqual([Date.UTC(2020, 2, 29, 8)]);
  });
});
