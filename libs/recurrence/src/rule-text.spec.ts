import { createRule, formatRule, parseRule, RecurrenceError } from './index';

describe('parseRule', () => {
  it('normalises and freezes', () => {
    const rule = parseRule(
      'rrule:interval=2;FREQ=monthly;BYDAY=-1fr,2MO,2MO;WKST=SU;BYMONTH=12,1;UNTIL=20201231T235959Z',
    );
    expect(rule).toEqual({
      frequency: 'MONTHLY',
      interval: 2,
      weekStart: 0,
      until: { kind: 'utc', ms: Date.UTC(2020, 11, 31, 23, 59, 59) },
      byMonth: [1, 12],
      byDay: [
        { weekday: 5, ordinal: -1 },
        { weekday: 1, ordinal: 2 },
      ],
    });
    expect(Object.isFrozen(rule) && Object.isFrozen(rule.byDay) && Object.isFrozen(rule.until)).toBe(true);
    expect(parseRule('FREQ=DAILY')).toBe(parseRule('FREQ=DAILY'));
  });

  it('reads a leap second as the 59th and dates of all kinds', () => {
    expect(parseRule('FREQ=DAILY;BYSECOND=60,59').bySecond).toEqual([59]);
    expect(parseRule('FREQ=DAILY;UNTIL=20200229').until).toEqual({ kind: 'date', ms: Date.UTC(2020, 1, 29) });
    expect(parseRule('FREQ=DAILY;UNTIL=20200229T101112').until).toEqual({
      kind: 'local',
      ms: Date.UTC(2020, 1, 29, 10, 11, 12),
    });
    expect(parseRule('FREQ=DAILY;RSCALE=GREGORIAN;SKIP=OMIT;')).toEqual(parseRule('FREQ=DAILY'));
  });

  it.each([
    '',
    'FREQ',
    'FREQ=',
    'FREQ=FORTNIGHTLY',
    'FREQ=INVALID_TYPE_CAUSES_ERROR',
    'INTERVAL=1',
    'FREQ=DAILY;FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;INTERVAL=-1',
    'FREQ=DAILY;INTERVAL=1.5',
    'FREQ=DAILY;INTERVAL=99999999999',
    'FREQ=DAILY;COUNT=0',
    'FREQ=DAILY;COUNT=-1',
    'FREQ=DAILY;COUNT=abc',
    'FREQ=DAILY;COUNT=3;UNTIL=20200101',
    'FREQ=DAILY;UNTIL=20200230',
    'FREQ=DAILY;UNTIL=20201301',
    'FREQ=DAILY;UNTIL=20200101T240000Z',
    'FREQ=DAILY;UNTIL=99999999T999999',
    'FREQ=DAILY;UNTIL=$now.0:T115959Z',
    'FREQ=MONTHLY;BYMONTHDAY=32',
    'FREQ=MONTHLY;BYMONTHDAY=-32',
    'FREQ=MONTHLY;BYMONTHDAY=0',
    'FREQ=MONTHLY;BYMONTHDAY=',
    'FREQ=MONTHLY;BYMONTHDAY=1,,2',
    'FREQ=WEEKLY;BYMONTHDAY=1',
    'FREQ=YEARLY;BYMONTH=13',
    'FREQ=YEARLY;BYMONTH=0',
    'FREQ=YEARLY;BYYEARDAY=367',
    'FREQ=DAILY;BYYEARDAY=1',
    'FREQ=MONTHLY;BYWEEKNO=1',
    'FREQ=YEARLY;BYWEEKNO=54',
    'FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO',
    'FREQ=WEEKLY;BYDAY=1MO',
    'FREQ=MONTHLY;BYDAY=0MO',
    'FREQ=MONTHLY;BYDAY=54MO',
    'FREQ=MONTHLY;BYDAY=XX',
    'FREQ=DAILY;BYHOUR=24',
    'FREQ=DAILY;BYMINUTE=60',
    'FREQ=DAILY;BYSECOND=61',
    'FREQ=DAILY;BYSETPOS=1',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367',
    'FREQ=DAILY;WKST=XX',
    'FREQ=DAILY;SKIP=FORWARD',
    'FREQ=DAILY;RSCALE=CHINESE',
    'FREQ=DAILY;FOO=BAR',
    `FREQ=DAILY;BYHOUR=${'1,'.repeat(10_000)}1`,
  ])('refuses %.60s', (text) => {
    expect(() => parseRule(text)).toThrow(RecurrenceError);
    expect(() => parseRule(text)).toThrow(expect.objectContaining({ code: 'INVALID_RULE' }));
  });
});

describe('formatRule', () => {
  it.each([
    'FREQ=DAILY',
    'FREQ=WEEKLY;COUNT=10;INTERVAL=2;BYDAY=MO,SU;WKST=SU',
    'FREQ=MONTHLY;UNTIL=20201231;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
    'FREQ=YEARLY;UNTIL=20201231T235959;BYMONTH=1;BYDAY=-1FR,MO,2MO',
    'FREQ=YEARLY;UNTIL=20201231T235959Z;BYWEEKNO=-1,1;BYYEARDAY=1;BYHOUR=1;BYMINUTE=2;BYSECOND=3',
    'FREQ=DAILY;UNTIL=00500101T000000Z',
  ])('gives back %s', (text) => {
    expect(formatRule(parseRule(text))).toBe(text);
  });

  it('writes what createRule made', () => {
    expect(formatRule(createRule({ frequency: 'WEEKLY', byDay: [{ weekday: 0 }, { weekday: 1 }] }))).toBe(
      'FREQ=WEEKLY;BYDAY=MO,SU',
    );
  });
});
