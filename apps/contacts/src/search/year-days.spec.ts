import fc from 'fast-check';
import { toYearDays } from './year-days';

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const DAY_MS = 86_400_000;

describe('days of a year', () => {
  it.each([
    ['2027-12-30', '2028-01-02', { from: 1230, to: 102, isWholeYear: false, hasLeapDay: false }],
    ['2027-03-01', '2027-03-02', { from: 301, to: 302, hasLeapDay: true, leapDay: 301 }],
    ['2027-02-28', '2027-03-01', { from: 228, to: 301, hasLeapDay: false }],
    ['2028-02-29', '2028-03-01', { from: 229, hasLeapDay: true, leapDay: 229 }],
    ['2028-03-01', '2028-03-02', { hasLeapDay: false }],
    ['2027-01-01', '2028-01-01', { isWholeYear: true }],
  ])('from %s to %s', (start, end, expected) => {
    expect(toYearDays(day(start), day(end))).toMatchObject(expected);
  });

  it.each([
    ['2026-01-01T15:00:00Z', '2026-01-01T16:00:00Z', { from: 101, to: 102 }],
    ['2026-01-01T15:00:00Z', '2026-01-03T16:00:00Z', { from: 101, to: 103 }],
    ['1969-12-31T15:00:00Z', '1969-12-31T16:00:00Z', { from: 1231, to: 101 }],
    ['2028-02-29T15:00:00Z', '2028-02-29T16:00:00Z', { from: 229, to: 301, hasLeapDay: true }],
  ])('are whole ones, from %s to %s', (start, end, expected) => {
    expect(toYearDays(Date.parse(start), Date.parse(end))).toMatchObject({ isWholeYear: false, ...expected });
  });

  it('are those that are met on the way through the calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: -30_000, max: 60_000 }), fc.integer({ min: 1, max: 364 }), (first, length) => {
        const { from, to, hasLeapDay } = toYearDays(first * DAY_MS, (first + length) * DAY_MS);
        const met = new Set<number>();
        for (let at = first; at < first + length; at += 1) {
          const date = new Date(at * DAY_MS);
          met.add((date.getUTCMonth() + 1) * 100 + date.getUTCDate());
        }
        for (let month = 1; month <= 12; month += 1)
          for (let date = 1; date <= 28; date += 1) {
            const value = month * 100 + date;
            const covered = from < to ? value >= from && value < to : value >= from || value < to;
            if (value !== 301) expect([value, covered]).toEqual([value, met.has(value)]);
          }
        if (met.has(229)) expect(hasLeapDay).toBe(true);
      }),
    );
  });
});
