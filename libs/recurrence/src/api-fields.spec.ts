import { fieldsFromRule, formatRule, parseRule, RecurrenceError, ruleFromFields, type RecurrenceFields } from './index';

const TIMED = { fullTime: false, timeZone: 'Europe/Berlin' };
const WHOLE = { fullTime: true, timeZone: 'UTC' };

describe('ruleFromFields', () => {
  const cases: [RecurrenceFields, string][] = [
    [{ recurrence_type: 1, interval: 3 }, 'FREQ=DAILY;INTERVAL=3'],
    [{ recurrence_type: 2, interval: 1 }, 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU'],
    [{ recurrence_type: 2, interval: 2, days: 65 }, 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU'],
    [{ recurrence_type: 3, interval: 1, day_in_month: 28 }, 'FREQ=MONTHLY;BYMONTHDAY=28'],
    [{ recurrence_type: 3, interval: 1, day_in_month: 29 }, 'FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1'],
    [{ recurrence_type: 3, interval: 1, day_in_month: 30 }, 'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1'],
    [{ recurrence_type: 3, interval: 1, day_in_month: 31 }, 'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1'],
    [{ recurrence_type: 3, interval: 1, day_in_month: 2, days: 2 }, 'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2'],
    [{ recurrence_type: 3, interval: 1, day_in_month: 5, days: 62 }, 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1'],
    [{ recurrence_type: 4, interval: 1, day_in_month: 7, month: 11 }, 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=7'],
    [{ recurrence_type: 4, interval: 1, day_in_month: 31, month: 0 }, 'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=31'],
    [{ recurrence_type: 4, interval: 1, day_in_month: 30, month: 3 }, 'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=30'],
    [
      { recurrence_type: 4, interval: 1, day_in_month: 31, month: 3 },
      'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
    ],
    [
      { recurrence_type: 4, interval: 1, day_in_month: 29, month: 1 },
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1',
    ],
    [
      { recurrence_type: 4, interval: 1, day_in_month: 1, days: 2, month: 4 },
      'FREQ=YEARLY;BYMONTH=5;BYDAY=MO;BYSETPOS=1',
    ],
    [{ recurrence_type: 1, interval: 1, occurrences: 7 }, 'FREQ=DAILY;COUNT=7'],
    [{ recurrence_type: 1, interval: 1, until: Date.UTC(2020, 2, 30) }, 'FREQ=DAILY;UNTIL=20200330T215959Z'],
  ];

  it.each(cases)('%j is %s, and back', (fields, text) => {
    const rule = ruleFromFields(fields, TIMED);
    expect(formatRule(rule)).toBe(text);
    expect(fieldsFromRule(rule, TIMED)).toEqual(fields.recurrence_type === 2 ? { days: 127, ...fields } : fields);
  });

  it('ends a whole-day series with a date', () => {
    const fields = { recurrence_type: 1, interval: 1, until: Date.UTC(2020, 2, 30) };
    expect(formatRule(ruleFromFields(fields, WHOLE))).toBe('FREQ=DAILY;UNTIL=20200330');
    expect(fieldsFromRule(ruleFromFields(fields, WHOLE), WHOLE)).toEqual(fields);
  });

  it.each<RecurrenceFields>([
    { recurrence_type: 0 },
    { recurrence_type: 5, interval: 1 },
    { recurrence_type: 1, interval: 0 },
    { recurrence_type: 1, interval: 1, occurrences: 0 },
    { recurrence_type: 1, interval: 1, occurrences: 2, until: 0 },
    { recurrence_type: 1, interval: 1, until: NaN },
    { recurrence_type: 2, interval: 1, days: 0 },
    { recurrence_type: 2, interval: 1, days: 128 },
    { recurrence_type: 3, interval: 1 },
    { recurrence_type: 3, interval: 1, day_in_month: 32 },
    { recurrence_type: 3, interval: 1, day_in_month: 6, days: 2 },
    { recurrence_type: 4, interval: 1, day_in_month: 1 },
    { recurrence_type: 4, interval: 1, day_in_month: 1, month: 12 },
  ])('refuses %j', (fields) => {
    expect(() => ruleFromFields(fields, TIMED)).toThrow(RecurrenceError);
  });
});

describe('fieldsFromRule', () => {
  const start = Date.UTC(2020, 4, 20, 9); // a Wednesday
  const read = (rule: string) => fieldsFromRule(parseRule(rule), { ...TIMED, startLocalMs: start });

  it('reads other spellings of the same days', () => {
    expect(read('FREQ=MONTHLY;BYDAY=2MO')).toEqual({ recurrence_type: 3, interval: 1, days: 2, day_in_month: 2 });
    expect(read('FREQ=MONTHLY;BYDAY=-1FR')).toEqual({ recurrence_type: 3, interval: 1, days: 32, day_in_month: 5 });
    expect(read('FREQ=MONTHLY;BYMONTHDAY=-1')).toEqual({ recurrence_type: 3, interval: 1, day_in_month: 31 });
    expect(read('FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU')).toEqual({
      recurrence_type: 4,
      interval: 1,
      month: 2,
      days: 1,
      day_in_month: 5,
    });
    expect(read('FREQ=DAILY;BYDAY=MO,TU')).toEqual({ recurrence_type: 2, interval: 1, days: 6 });
    expect(read('FREQ=WEEKLY;WKST=SU;BYDAY=SU,MO')).toEqual({ recurrence_type: 2, interval: 1, days: 3 });
    expect(read('FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=MO,WE')).toEqual({ recurrence_type: 2, interval: 2, days: 10 });
  });

  it('fills in what the rule leaves to its start', () => {
    expect(read('FREQ=WEEKLY')).toEqual({ recurrence_type: 2, interval: 1, days: 8 });
    expect(read('FREQ=MONTHLY')).toEqual({ recurrence_type: 3, interval: 1, day_in_month: 20 });
    expect(read('FREQ=YEARLY')).toEqual({ recurrence_type: 4, interval: 1, month: 4, day_in_month: 20 });
    expect(read('FREQ=YEARLY;BYMONTH=7')).toEqual({ recurrence_type: 4, interval: 1, month: 6, day_in_month: 20 });
    expect(fieldsFromRule(parseRule('FREQ=WEEKLY'), TIMED)).toBeUndefined();
    expect(fieldsFromRule(parseRule('FREQ=YEARLY'), TIMED)).toBeUndefined();
  });

  it('gives the last day on which the series still has an occurrence', () => {
    // 09:00 in Berlin is 07:00Z in summer.
    expect(read('FREQ=DAILY;UNTIL=20200610T070000Z')?.until).toBe(Date.UTC(2020, 5, 10));
    expect(read('FREQ=DAILY;UNTIL=20200610T065959Z')?.until).toBe(Date.UTC(2020, 5, 9));
    expect(read('FREQ=DAILY;UNTIL=20200610')?.until).toBe(Date.UTC(2020, 5, 10));
    expect(read('FREQ=DAILY;UNTIL=20200610T235959')?.until).toBe(Date.UTC(2020, 5, 10));
  });

  it.each([
    'FREQ=HOURLY',
    'FREQ=DAILY;BYHOUR=9,10',
    'FREQ=DAILY;BYMONTH=1',
    'FREQ=DAILY;INTERVAL=2;BYDAY=MO',
    'FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1',
    'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO',
    'FREQ=MONTHLY;BYMONTHDAY=31',
    'FREQ=MONTHLY;BYMONTHDAY=29',
    'FREQ=MONTHLY;BYMONTHDAY=1,15',
    'FREQ=MONTHLY;BYMONTHDAY=-2',
    'FREQ=MONTHLY;BYMONTH=1;BYMONTHDAY=1',
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    'FREQ=MONTHLY;BYDAY=MO',
    'FREQ=MONTHLY;BYDAY=5MO',
    'FREQ=MONTHLY;BYDAY=-2MO',
    'FREQ=MONTHLY;BYDAY=1MO,3MO',
    'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1,2',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=1',
    'FREQ=YEARLY;BYMONTHDAY=1',
    'FREQ=YEARLY;BYDAY=20MO',
    'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
    'FREQ=YEARLY;BYYEARDAY=1',
  ])('cannot express %s', (rule) => {
    expect(read(rule)).toBeUndefined();
  });
});
