import {
  firstOccurrence,
  isOccurrence,
  lastEndMs,
  nextAfter,
  occurrenceAt,
  occurrencesBetween,
  parseRule,
  positionOf,
  ruleFromFields,
  validateSeries,
  type RecurrenceFields,
  type Series,
} from './index';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FROM = Date.UTC(1900, 0, 1);
const TO = Date.UTC(2100, 0, 1);
const local = (text: string) => Date.parse(`${text}Z`);
const series = (rule: string | undefined, start: string, timeZone = 'UTC', more: Partial<Series> = {}): Series => ({
  rule: rule === undefined ? undefined : parseRule(rule),
  startLocalMs: local(start),
  timeZone,
  durationMs: HOUR,
  allDay: false,
  ...more,
});
const starts = (s: Series, from = FROM, to = TO) => occurrencesBetween(s, from, to).map((o) => o.startMs);
const locals = (s: Series, from = FROM, to = TO) =>
  occurrencesBetween(s, from, to).map((o) => new Date(o.localMs).toISOString().slice(0, 16));

describe('occurrences of imported calendars', () => {
  it('daily with EXDATE in Brisbane', () => {
    const s = series('FREQ=DAILY;INTERVAL=1;COUNT=7', '2006-01-01T12:00:00', 'Australia/Brisbane', {
      exdates: [local('2006-01-03T12:00:00'), local('2006-01-04T12:00:00')],
    });
    expect(starts(s)).toEqual([1136080800000, 1136167200000, 1136426400000, 1136512800000, 1136599200000]);
  });

  it('every Friday the 13th in New York', () => {
    const s = series('FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', '1997-09-02T09:00:00', 'US/Eastern', {
      exdates: [local('1997-09-02T09:00:00')],
    });
    expect(starts(s, FROM, 1055509200001)).toEqual([
      887378400000, 889797600000, 910965600000, 934549200000, 971442000000, 987166800000, 995029200000, 1031922000000,
      1039788000000, 1055509200000,
    ]);
  });

  it('ten days in UTC', () => {
    const expected = Array.from({ length: 10 }, (_, i) => 1735725600000 + i * DAY);
    expect(starts(series('FREQ=DAILY;COUNT=10', '2025-01-01T10:00:00'))).toEqual(expected);
  });

  it('working days in Zurich over the end of summer time', () => {
    const start = new Date(1477656000000 + 2 * HOUR).toISOString().slice(0, 19);
    const s = series('FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', start, 'Europe/Zurich');
    expect(starts(s, FROM, 1478782800001)).toEqual([
      1477656000000, 1477918800000, 1478005200000, 1478091600000, 1478178000000, 1478264400000, 1478523600000,
      1478610000000, 1478696400000, 1478782800000,
    ]);
  });
});

describe('series of the API', () => {
  const cases: [string, RecurrenceFields, number[], { zone?: string; fullTime?: boolean; from?: number }?][] = [
    [
      'RE-01 daily, five times',
      { recurrence_type: 1, interval: 1, occurrences: 5 },
      [1590998400000, 1591084800000, 1591171200000, 1591257600000, 1591344000000],
    ],
    [
      'RE-02 every third day until 10 June',
      { recurrence_type: 1, interval: 3, until: 1591747200000 },
      [1590998400000, 1591257600000, 1591516800000, 1591776000000],
    ],
    [
      'RE-03 Monday and Tuesday',
      { recurrence_type: 2, interval: 1, days: 6, occurrences: 6 },
      [1590998400000, 1591084800000, 1591603200000, 1591689600000, 1592208000000, 1592294400000],
    ],
    [
      'RE-05 every second Friday',
      { recurrence_type: 2, interval: 2, days: 32, occurrences: 4 },
      [1591344000000, 1592553600000, 1593763200000, 1594972800000],
    ],
    [
      'RE-06 monthly on the 10th',
      { recurrence_type: 3, interval: 1, day_in_month: 10, occurrences: 4 },
      [1591776000000, 1594368000000, 1597046400000, 1599724800000],
    ],
    [
      'RE-07 monthly on the 30th from January',
      { recurrence_type: 3, interval: 1, day_in_month: 30, occurrences: 3 },
      [1611993600000, 1614499200000, 1617091200000],
    ],
    [
      'RE-08 second Monday of the month',
      { recurrence_type: 3, interval: 1, day_in_month: 2, days: 2, occurrences: 3 },
      [1591603200000, 1594627200000, 1597046400000],
    ],
    [
      'RE-09 last Sunday of the month',
      { recurrence_type: 3, interval: 1, day_in_month: 5, days: 1, occurrences: 3 },
      [1593331200000, 1595750400000, 1598774400000],
    ],
    [
      'RE-10 yearly on 7 December, whole day',
      { recurrence_type: 4, interval: 1, day_in_month: 7, month: 11, occurrences: 3 },
      [1196985600000, 1228608000000, 1260144000000],
      { fullTime: true },
    ],
    [
      'RE-11 first Monday of May',
      { recurrence_type: 4, interval: 1, day_in_month: 1, days: 2, month: 4, occurrences: 3 },
      [1588579200000, 1620028800000, 1651478400000],
    ],
    [
      'RE-12 Friday and Saturday, whole day',
      { recurrence_type: 2, days: 96, interval: 1, occurrences: 2 },
      [1298592000000, 1298678400000],
      { fullTime: true },
    ],
    [
      'RE-13 daily in Berlin over the autumn change',
      { recurrence_type: 1, interval: 1, occurrences: 4 },
      [1603432800000, 1603519200000, 1603609200000, 1603695600000],
      { zone: 'Europe/Berlin' },
    ],
    [
      'RE-14 Mondays in New York over the spring change',
      { recurrence_type: 2, days: 2, interval: 1, occurrences: 3 },
      [1583157600000, 1583758800000, 1584363600000],
      { zone: 'America/New_York' },
    ],
    [
      'RE-15 daily at 23:00 in Berlin until 30 March',
      { recurrence_type: 1, interval: 1, until: 1585526400000 },
      [1585346400000, 1585432800000, 1585515600000, 1585602000000],
      { zone: 'Europe/Berlin' },
    ],
    [
      'RE-23 begins at its first match',
      { recurrence_type: 2, interval: 2, days: 28, occurrences: 1 },
      [1439280000000],
      { from: 1439193600000 },
    ],
    [
      'RE-42 yearly on 16 February from May on',
      { recurrence_type: 4, interval: 1, day_in_month: 16, month: 1, occurrences: 1 },
      [1455609600000],
      { from: Date.UTC(2015, 4, 5, 8) },
    ],
  ];

  it.each(cases)('%s', (_, fields, expected, { zone = 'UTC', fullTime = false, from = expected[0]! } = {}) => {
    const startLocalMs = wallClock(from, zone);
    const s: Series = {
      rule: ruleFromFields(fields, { fullTime, timeZone: zone }),
      startLocalMs,
      timeZone: zone,
      durationMs: fullTime ? DAY : HOUR,
      allDay: fullTime,
    };
    expect(starts(s)).toEqual(expected);
    expect(firstOccurrence(s)?.startMs).toBe(expected[0]);
    expect(occurrencesBetween(s, FROM, TO, { positions: true }).map((o) => o.position)).toEqual(
      expected.map((__, i) => i + 1),
    );
  });

  function wallClock(instant: number, timeZone: string): number {
    return Date.parse(`${new Date(instant).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
  }
});

describe('numbers of occurrences', () => {
  const s = series('FREQ=DAILY;COUNT=4', '2020-01-01T09:00:00', 'Europe/Berlin', {
    exdates: [local('2020-01-02T09:00:00')],
    rdates: [local('2020-01-02T15:00:00'), local('2020-01-03T09:00:00')],
  });

  it('EXDATEs keep theirs, RDATEs are merged in order and counted once', () => {
    expect(occurrencesBetween(s, FROM, TO, { positions: true }).map((o) => o.position)).toEqual([1, 3, 4, 5]);
    expect(positionOf(s, local('2020-01-02T09:00:00'))).toBe(2);
    expect(positionOf(s, local('2020-01-02T10:00:00'))).toBeUndefined();
    expect(positionOf(s, local('2020-01-05T09:00:00'))).toBeUndefined();
    expect([1, 2, 3, 4, 5, 6].map((n) => occurrenceAt(s, n)?.localMs)).toEqual([
      local('2020-01-01T09:00:00'),
      local('2020-01-02T09:00:00'),
      local('2020-01-02T15:00:00'),
      local('2020-01-03T09:00:00'),
      local('2020-01-04T09:00:00'),
      undefined,
    ]);
    expect(occurrenceAt(s, 0)).toBeUndefined();
    expect(occurrenceAt(s, 1.5)).toBeUndefined();
  });

  it('tells occurrences from removed and never generated times', () => {
    expect(isOccurrence(s, local('2020-01-01T09:00:00'))).toBe(true);
    expect(isOccurrence(s, local('2020-01-02T15:00:00'))).toBe(true);
    expect(isOccurrence(s, local('2020-01-02T09:00:00'))).toBe(false);
    expect(isOccurrence(s, local('2020-01-01T09:00:01'))).toBe(false);
    expect(isOccurrence(s, local('2019-12-31T09:00:00'))).toBe(false);
  });

  it('finds the next one after an instant, removed ones passed over', () => {
    expect(nextAfter(s, local('2020-01-01T08:00:00'))?.localMs).toBe(local('2020-01-02T15:00:00'));
    expect(nextAfter(s, local('2020-01-01T07:59:59'))?.localMs).toBe(local('2020-01-01T09:00:00'));
    expect(nextAfter(s, local('2020-01-04T08:00:00'))).toBeUndefined();
  });

  it('without a rule DTSTART and RDATEs are the series', () => {
    const dates = series(undefined, '2020-01-02T09:00:00', 'UTC', { rdates: [local('2020-01-01T09:00:00')] });
    expect(locals(dates)).toEqual(['2020-01-01T09:00', '2020-01-02T09:00']);
    expect(positionOf(dates, local('2020-01-02T09:00:00'))).toBe(2);
    expect(lastEndMs(dates)).toBe(local('2020-01-02T10:00:00'));
  });
});

describe('the end of a series', () => {
  it('UNTIL in UTC is an instant, without zone it is wall clock time, as a date the whole day', () => {
    const at = (until: string) =>
      locals(series(`FREQ=DAILY;UNTIL=${until}`, '2020-06-01T09:00:00', 'Europe/Berlin')).length;
    expect(at('20200603T070000Z')).toBe(3);
    expect(at('20200603T065959Z')).toBe(2);
    expect(at('20200603T090000')).toBe(3);
    expect(at('20200603T085959')).toBe(2);
    expect(at('20200603')).toBe(3);
  });

  it('compares instants also in the hour that exists twice', () => {
    // 02:30 happens at 00:30Z and at 01:30Z; the occurrence is the first.
    const s = (until: string) => series(`FREQ=DAILY;UNTIL=${until}`, '2020-10-24T02:30:00', 'Europe/Berlin');
    expect(starts(s('20201025T003000Z'))).toHaveLength(2);
    expect(starts(s('20201025T002959Z'))).toHaveLength(1);
    expect(lastEndMs(s('20201025T003000Z'))).toBe(Date.UTC(2020, 9, 25, 1, 30));
  });

  it('keeps the last end', () => {
    const end = (rule: string, more?: Partial<Series>) => lastEndMs(series(rule, '2020-01-31T09:00:00', 'UTC', more));
    expect(end('FREQ=DAILY')).toBeUndefined();
    expect(end('FREQ=MONTHLY;COUNT=3')).toBe(Date.UTC(2020, 4, 31, 10));
    expect(end('FREQ=MONTHLY;UNTIL=20200430T090000Z')).toBe(Date.UTC(2020, 2, 31, 10));
    expect(end('FREQ=MONTHLY;COUNT=1', { rdates: [Date.UTC(2021, 0, 1)] })).toBe(Date.UTC(2021, 0, 1, 1));
    const day = (localMs: number) => ({ rdates: [localMs], rdatePeriods: [{ localMs, durationMs: 50 * DAY }] });
    expect(end('FREQ=MONTHLY;COUNT=2', day(Date.UTC(2020, 1, 20)))).toBe(Date.UTC(2020, 3, 10));
    expect(end('FREQ=MONTHLY;COUNT=2', { ...day(0), rdates: [] })).toBe(Date.UTC(2020, 2, 31, 10));
    expect(end('FREQ=DAILY;COUNT=2000000000')).toBeUndefined();
    // Nothing matches before UNTIL.
    expect(end('FREQ=MONTHLY;UNTIL=20200101T000000Z')).toBe(Date.UTC(2020, 0, 31, 9));
    // A walk that would be too long gives a bound instead of an error.
    expect(end('FREQ=SECONDLY;INTERVAL=7;BYMONTH=1,2;UNTIL=22000101T000000Z')).toBeGreaterThanOrEqual(
      Date.UTC(2199, 1, 28),
    );
  });

  it('counts to far COUNTs without walking', () => {
    const s = series('FREQ=DAILY;COUNT=50000', '1900-01-01T09:00:00');
    expect(occurrenceAt(s, 50_000)?.startMs).toBe(Date.UTC(1900, 0, 50_000, 9));
    expect(occurrenceAt(s, 50_001)).toBeUndefined();
    const monthly = series('FREQ=MONTHLY;BYMONTHDAY=31;COUNT=20000', '1999-12-31T09:00:00');
    // Seven months a year have a 31st.
    expect(occurrenceAt(monthly, 1 + 7 * 400)?.localMs).toBe(local('2399-12-31T09:00:00'));
  });
});

describe('readings of the RFC', () => {
  it('a list of days is the union of its entries', () => {
    const s = series('FREQ=MONTHLY;BYDAY=1MO,MO,-1FR;COUNT=6', '2020-06-01T09:00:00');
    expect(locals(s).map((t) => t.slice(5, 10))).toEqual(['06-01', '06-08', '06-15', '06-22', '06-26', '06-29']);
  });

  it('a week without a day means the weekday of DTSTART', () => {
    const s = series('FREQ=YEARLY;BYWEEKNO=20;COUNT=3', '1997-05-15T09:00:00');
    expect(locals(s).map((t) => t.slice(0, 10))).toEqual(['1997-05-15', '1998-05-14', '1999-05-20']);
  });

  it('week 1 can begin in the year before, week 53 end in the year after', () => {
    const s = series('FREQ=YEARLY;BYWEEKNO=1,53;BYDAY=MO,SU;COUNT=5', '2019-12-30T09:00:00');
    expect(locals(s).map((t) => t.slice(0, 10))).toEqual([
      '2019-12-30',
      '2020-01-05',
      '2020-12-28',
      '2021-01-03',
      '2021-01-04',
    ]);
  });

  it('DTSTART that does not match is no occurrence', () => {
    expect(locals(series('FREQ=WEEKLY;BYDAY=MO;COUNT=2', '2020-06-03T09:00:00'))).toEqual([
      '2020-06-08T09:00',
      '2020-06-15T09:00',
    ]);
  });
});

describe('windows', () => {
  it('hold what overlaps them, ends excluded', () => {
    const s = series('FREQ=DAILY', '2020-01-01T09:00:00');
    const at = (from: string, to: string) => locals(s, local(from), local(to));
    expect(at('2020-01-05T10:00:00', '2020-01-06T09:00:00')).toEqual([]);
    expect(at('2020-01-05T09:59:59', '2020-01-06T09:00:01')).toEqual(['2020-01-05T09:00', '2020-01-06T09:00']);
    expect(at('2020-01-05T09:30:00', '2020-01-05T09:30:00')).toEqual([]);
  });

  it('hold an occurrence without length that begins in them', () => {
    const s = series('FREQ=DAILY', '2020-01-01T09:00:00', 'UTC', { durationMs: 0 });
    expect(locals(s, local('2020-01-05T09:00:00'), local('2020-01-06T09:00:00'))).toEqual(['2020-01-05T09:00']);
  });

  it('find long occurrences that began before them', () => {
    const s = series('FREQ=WEEKLY', '2020-01-06T09:00:00', 'UTC', { durationMs: 20 * DAY });
    expect(locals(s, local('2020-02-03T08:00:00'), local('2020-02-03T08:30:00'))).toEqual([
      '2020-01-20T09:00',
      '2020-01-27T09:00',
    ]);
  });

  it('stop at the limit', () => {
    const s = series('FREQ=SECONDLY', '2020-01-01T09:00:00');
    expect(occurrencesBetween(s, FROM, TO, { limit: 3 })).toHaveLength(3);
    expect(occurrencesBetween(s, FROM, TO, { limit: 0 })).toEqual([]);
  });
});

describe('clocks that change', () => {
  it('keeps an occurrence in the gap with the offset before it, and counts it (RE-39)', () => {
    const s = series('FREQ=DAILY;COUNT=3', '2008-03-29T02:30:00', 'Europe/Berlin');
    expect(starts(s)).toEqual([
      Date.UTC(2008, 2, 29, 1, 30),
      Date.UTC(2008, 2, 30, 1, 30),
      Date.UTC(2008, 2, 31, 0, 30),
    ]);
  });

  it('orders by instant where the wall clock jumps', () => {
    const s = series('FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30;BYSECOND=0', '2008-03-30T00:00:00', 'Europe/Berlin');
    const found = starts(s, Date.UTC(2008, 2, 30), Date.UTC(2008, 2, 30, 12));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found).toHaveLength(4);
  });

  it('an exact length stays exact, a day stays a day', () => {
    const timed = series('FREQ=DAILY', '2020-10-24T09:00:00', 'Europe/Berlin', { durationMs: DAY });
    const [first] = occurrencesBetween(timed, Date.UTC(2020, 9, 24, 12), Date.UTC(2020, 9, 24, 13));
    expect(first!.endMs - first!.startMs).toBe(DAY);
    const whole = series('FREQ=DAILY', '2020-10-25T00:00:00', 'Europe/Berlin', { durationMs: DAY, allDay: true });
    const [day] = occurrencesBetween(whole, Date.UTC(2020, 9, 25, 12), Date.UTC(2020, 9, 25, 13));
    expect(day!.endMs - day!.startMs).toBe(25 * HOUR);
  });

  it('floating and whole-day series know no zone', () => {
    const s = series('FREQ=DAILY;COUNT=3', '2020-10-24T00:00:00', 'UTC', { durationMs: DAY, allDay: true });
    expect(starts(s)).toEqual([Date.UTC(2020, 9, 24), Date.UTC(2020, 9, 25), Date.UTC(2020, 9, 26)]);
  });

  it('whole-day series ignore BYHOUR and refuse hours as frequency', () => {
    const s = series('FREQ=DAILY;BYHOUR=9,10;COUNT=2', '2020-10-24T00:00:00', 'UTC', { durationMs: DAY, allDay: true });
    expect(locals(s)).toEqual(['2020-10-24T00:00', '2020-10-25T00:00']);
    const hourly = series('FREQ=HOURLY', '2020-10-24T00:00:00', 'UTC', { allDay: true });
    expect(() => validateSeries(hourly)).toThrow(expect.objectContaining({ code: 'INVALID_RULE' }));
  });
});
