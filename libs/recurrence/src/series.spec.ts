import {
  firstOccurrence,
  lastEndMs,
  nextAfter,
  occurrenceAt,
  occurrencesBetween,
  parseRule,
  positionOf,
  type Series,
} from './index';

const HOUR = 3_600_000;
const ALL: [number, number] = [Date.UTC(1900, 0, 1), Date.UTC(2100, 0, 1)];
const local = (text: string) => Date.parse(`${text}Z`);
const series = (rule: string, start: string, timeZone = 'UTC', more: Partial<Series> = {}): Series => ({
  rule: parseRule(rule),
  startLocalMs: local(start),
  timeZone,
  durationMs: HOUR,
  allDay: false,
  ...more,
});
const starts = (s: Series, from = ALL[0], to = ALL[1]) => occurrencesBetween(s, from, to).map((o) => o.startMs);

describe('expected values of the imported corpora', () => {
  it('daily with EXDATE in Brisbane', () => {
    const s = series('FREQ=DAILY;INTERVAL=1;COUNT=7', '2006-01-01T12:00:00', 'Australia/Brisbane', {
      exdates: [local('2006-01-03T12:00:00'), local('2006-01-04T12:00:00')],
    });
    expect(starts(s)).toEqual([1136080800000, 1136167200000, 1136426400000, 1136512800000, 1136599200000]);
  });

  it('every Friday the 13th in New York', () => {
    const s = series('FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', '1997-09-02T09:00:00', 'US/Eastern');
    expect(starts(s, ALL[0], 1055509200001)).toEqual([
      887378400000, 889797600000, 910965600000, 934549200000, 971442000000, 987166800000, 995029200000, 1031922000000,
      1039788000000, 1055509200000,
    ]);
  });
});

describe('numbers of occurrences', () => {
  it('positions survive EXDATE and merge RDATE', () => {
    const s = series('FREQ=DAILY;COUNT=4', '2020-01-01T09:00:00', 'Europe/Berlin', {
      exdates: [local('2020-01-02T09:00:00')],
      rdates: [local('2020-01-02T15:00:00'), local('2020-01-03T09:00:00')],
    });
    const found = occurrencesBetween(s, ...ALL, { positions: true });
    expect(found.map((o) => o.position)).toEqual([1, 3, 4, 5]);
    expect(positionOf(s, local('2020-01-02T09:00:00'))).toBe(2);
    expect(occurrenceAt(s, 3)?.localMs).toBe(local('2020-01-02T15:00:00'));
    expect(occurrenceAt(s, 6)).toBeUndefined();
    expect(lastEndMs(s)).toBe(local('2020-01-04T09:00:00'));
    expect(nextAfter(s, local('2020-01-01T08:00:00'))?.localMs).toBe(local('2020-01-02T15:00:00'));
    expect(firstOccurrence(s)?.startMs).toBe(local('2020-01-01T08:00:00'));
  });
});
