import { occurrencesBetween, parseRule, type Series } from './index';

/**
 * The examples of RFC 5545 §3.8.5.3, all in America/New_York from DTSTART on. `days` lists the local days,
 * `days at times` when there are several times a day; `more` = the list is only the beginning.
 */
interface Example {
  readonly name: string;
  readonly rule: string;
  readonly start?: string;
  readonly expected: string;
  readonly total?: number;
  readonly more?: boolean;
  readonly exdates?: readonly string[];
}

const NINE = 'T09:00:00';
const START = `1997-09-02${NINE}`;

const EXAMPLES: readonly Example[] = [
  { name: 'daily for 10 occurrences', rule: 'FREQ=DAILY;COUNT=10', expected: '1997-09: 2 3 4 5 6 7 8 9 10 11' },
  {
    name: 'daily until 24 December 1997',
    rule: 'FREQ=DAILY;UNTIL=19971224T000000Z',
    expected: '1997-09: 2 3 4 5',
    total: 113,
    more: true,
  },
  {
    name: 'every other day, for ever',
    rule: 'FREQ=DAILY;INTERVAL=2',
    expected:
      '1997-09: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30; 1997-10: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30; 1997-11: 1 3',
    more: true,
  },
  {
    name: 'every 10 days, 5 occurrences',
    rule: 'FREQ=DAILY;INTERVAL=10;COUNT=5',
    expected: '1997-09: 2 12 22; 1997-10: 2 12',
  },
  {
    name: 'every day in January, for 3 years (yearly)',
    rule: 'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
    start: `1998-01-01${NINE}`,
    expected: '1998-01: 1 2 3',
    total: 93,
    more: true,
  },
  {
    name: 'every day in January, for 3 years (daily)',
    rule: 'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1',
    start: `1998-01-01${NINE}`,
    expected: '1998-01: 1 2 3',
    total: 93,
    more: true,
  },
  {
    name: 'weekly for 10 occurrences',
    rule: 'FREQ=WEEKLY;COUNT=10',
    expected: '1997-09: 2 9 16 23 30; 1997-10: 7 14 21 28; 1997-11: 4',
  },
  {
    name: 'weekly until 24 December 1997',
    rule: 'FREQ=WEEKLY;UNTIL=19971224T000000Z',
    expected: '1997-09: 2 9 16 23 30; 1997-10: 7 14 21 28; 1997-11: 4 11 18 25; 1997-12: 2 9 16 23',
  },
  {
    name: 'every other week, for ever',
    rule: 'FREQ=WEEKLY;INTERVAL=2;WKST=SU',
    expected: '1997-09: 2 16 30; 1997-10: 14 28; 1997-11: 11 25; 1997-12: 9 23; 1998-01: 6 20; 1998-02: 3 17',
    more: true,
  },
  {
    name: 'weekly on Tuesday and Thursday for five weeks (UNTIL)',
    rule: 'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
    expected: '1997-09: 2 4 9 11 16 18 23 25 30; 1997-10: 2',
  },
  {
    name: 'weekly on Tuesday and Thursday for five weeks (COUNT)',
    rule: 'FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH',
    expected: '1997-09: 2 4 9 11 16 18 23 25 30; 1997-10: 2',
  },
  {
    name: 'every other week on Monday, Wednesday and Friday until 24 December 1997',
    rule: 'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR',
    start: `1997-09-01${NINE}`,
    expected:
      '1997-09: 1 3 5 15 17 19 29; 1997-10: 1 3 13 15 17 27 29 31; 1997-11: 10 12 14 24 26 28; 1997-12: 8 10 12 22',
  },
  {
    name: 'every other week on Tuesday and Thursday, for 8 occurrences',
    rule: 'FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH',
    expected: '1997-09: 2 4 16 18 30; 1997-10: 2 14 16',
  },
  {
    name: 'monthly on the first Friday for 10 occurrences',
    rule: 'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
    start: `1997-09-05${NINE}`,
    expected:
      '1997-09: 5; 1997-10: 3; 1997-11: 7; 1997-12: 5; 1998-01: 2; 1998-02: 6; 1998-03: 6; 1998-04: 3; 1998-05: 1; 1998-06: 5',
  },
  {
    name: 'monthly on the first Friday until 24 December 1997',
    rule: 'FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR',
    start: `1997-09-05${NINE}`,
    expected: '1997-09: 5; 1997-10: 3; 1997-11: 7; 1997-12: 5',
  },
  {
    name: 'every other month on the first and last Sunday for 10 occurrences',
    rule: 'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
    start: `1997-09-07${NINE}`,
    expected: '1997-09: 7 28; 1997-11: 2 30; 1998-01: 4 25; 1998-03: 1 29; 1998-05: 3 31',
  },
  {
    name: 'monthly on the second-to-last Monday for 6 months',
    rule: 'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO',
    start: `1997-09-22${NINE}`,
    expected: '1997-09: 22; 1997-10: 20; 1997-11: 17; 1997-12: 22; 1998-01: 19; 1998-02: 16',
  },
  {
    name: 'monthly on the third-to-the-last day, for ever',
    rule: 'FREQ=MONTHLY;BYMONTHDAY=-3',
    start: `1997-09-28${NINE}`,
    expected: '1997-09: 28; 1997-10: 29; 1997-11: 28; 1997-12: 29; 1998-01: 29; 1998-02: 26',
    more: true,
  },
  {
    name: 'monthly on the 2nd and 15th for 10 occurrences',
    rule: 'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15',
    expected: '1997-09: 2 15; 1997-10: 2 15; 1997-11: 2 15; 1997-12: 2 15; 1998-01: 2 15',
  },
  {
    name: 'monthly on the first and last day for 10 occurrences',
    rule: 'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
    start: `1997-09-30${NINE}`,
    expected: '1997-09: 30; 1997-10: 1 31; 1997-11: 1 30; 1997-12: 1 31; 1998-01: 1 31; 1998-02: 1',
  },
  {
    name: 'every 18 months on the 10th to 15th for 10 occurrences',
    rule: 'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
    start: `1997-09-10${NINE}`,
    expected: '1997-09: 10 11 12 13 14 15; 1999-03: 10 11 12 13',
  },
  {
    name: 'every Tuesday, every other month',
    rule: 'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    expected: '1997-09: 2 9 16 23 30; 1997-11: 4 11 18 25; 1998-01: 6 13 20 27; 1998-03: 3 10 17 24 31',
    more: true,
  },
  {
    name: 'yearly in June and July for 10 occurrences',
    rule: 'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
    start: `1997-06-10${NINE}`,
    expected:
      '1997-06: 10; 1997-07: 10; 1998-06: 10; 1998-07: 10; 1999-06: 10; 1999-07: 10; 2000-06: 10; 2000-07: 10; 2001-06: 10; 2001-07: 10',
  },
  {
    name: 'every other year in January, February and March for 10 occurrences',
    rule: 'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
    start: `1997-03-10${NINE}`,
    expected:
      '1997-03: 10; 1999-01: 10; 1999-02: 10; 1999-03: 10; 2001-01: 10; 2001-02: 10; 2001-03: 10; 2003-01: 10; 2003-02: 10; 2003-03: 10',
  },
  {
    name: 'every third year on the 1st, 100th and 200th day for 10 occurrences',
    rule: 'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    start: `1997-01-01${NINE}`,
    expected:
      '1997-01: 1; 1997-04: 10; 1997-07: 19; 2000-01: 1; 2000-04: 9; 2000-07: 18; 2003-01: 1; 2003-04: 10; 2003-07: 19; 2006-01: 1',
  },
  {
    name: 'every 20th Monday of the year, for ever',
    rule: 'FREQ=YEARLY;BYDAY=20MO',
    start: `1997-05-19${NINE}`,
    expected: '1997-05: 19; 1998-05: 18; 1999-05: 17',
    more: true,
  },
  {
    name: 'Monday of week number 20',
    rule: 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
    start: `1997-05-12${NINE}`,
    expected: '1997-05: 12; 1998-05: 11; 1999-05: 17',
    more: true,
  },
  {
    name: 'every Thursday in March, for ever',
    rule: 'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
    start: `1997-03-13${NINE}`,
    expected: '1997-03: 13 20 27; 1998-03: 5 12 19 26; 1999-03: 4 11 18 25',
    more: true,
  },
  {
    name: 'every Thursday in June, July and August, for ever',
    rule: 'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
    start: `1997-06-05${NINE}`,
    expected: '1997-06: 5 12 19 26; 1997-07: 3 10 17 24 31; 1997-08: 7 14 21 28; 1998-06: 4 11 18 25',
    more: true,
  },
  {
    name: 'every Friday the 13th, for ever',
    rule: 'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
    exdates: [START],
    expected: '1998-02: 13; 1998-03: 13; 1998-11: 13; 1999-08: 13; 2000-10: 13',
    more: true,
  },
  {
    name: 'the first Saturday that follows the first Sunday of the month',
    rule: 'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    start: `1997-09-13${NINE}`,
    expected:
      '1997-09: 13; 1997-10: 11; 1997-11: 8; 1997-12: 13; 1998-01: 10; 1998-02: 7; 1998-03: 7; 1998-04: 11; 1998-05: 9; 1998-06: 13',
    more: true,
  },
  {
    name: 'every 4 years, the first Tuesday after a Monday in November',
    rule: 'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    start: `1996-11-05${NINE}`,
    expected: '1996-11: 5; 2000-11: 7; 2004-11: 2',
    more: true,
  },
  {
    name: 'the third instance of Tuesday, Wednesday or Thursday, for 3 months',
    rule: 'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3',
    start: `1997-09-04${NINE}`,
    expected: '1997-09: 4; 1997-10: 7; 1997-11: 6',
  },
  {
    name: 'the second-to-last weekday of the month',
    rule: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    start: `1997-09-29${NINE}`,
    expected: '1997-09: 29; 1997-10: 30; 1997-11: 27; 1997-12: 30; 1998-01: 29; 1998-02: 26; 1998-03: 30',
    more: true,
  },
  {
    name: 'every 3 hours from 9 to 17 on one day',
    rule: 'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z',
    expected: '1997-09: 2 at 9:00 12:00 15:00',
    // The RFC prints 17:00Z, which is 13:00 in New York; its list of times needs 21:00Z.
  },
  {
    name: 'every 15 minutes for 6 occurrences',
    rule: 'FREQ=MINUTELY;INTERVAL=15;COUNT=6',
    expected: '1997-09: 2 at 9:00 9:15 9:30 9:45 10:00 10:15',
  },
  {
    name: 'every hour and a half for 4 occurrences',
    rule: 'FREQ=MINUTELY;INTERVAL=90;COUNT=4',
    expected: '1997-09: 2 at 9:00 10:30 12:00 13:30',
  },
  {
    name: 'every 20 minutes from 9:00 to 16:40 every day (daily)',
    rule: 'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
    expected:
      '1997-09: 2 at 9:00 9:20 9:40 10:00 10:20 10:40 11:00 11:20 11:40 12:00 12:20 12:40 13:00 13:20 13:40 14:00 14:20 14:40 15:00 15:20 15:40 16:00 16:20 16:40; 1997-09: 3 at 9:00 9:20',
    more: true,
  },
  {
    name: 'every 20 minutes from 9:00 to 16:40 every day (minutely)',
    rule: 'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
    expected:
      '1997-09: 2 at 9:00 9:20 9:40 10:00 10:20 10:40 11:00 11:20 11:40 12:00 12:20 12:40 13:00 13:20 13:40 14:00 14:20 14:40 15:00 15:20 15:40 16:00 16:20 16:40; 1997-09: 3 at 9:00 9:20',
    more: true,
  },
  {
    name: 'where the first day of the week matters (Monday)',
    rule: 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
    start: `1997-08-05${NINE}`,
    expected: '1997-08: 5 10 19 24',
  },
  {
    name: 'where the first day of the week matters (Sunday)',
    rule: 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
    start: `1997-08-05${NINE}`,
    expected: '1997-08: 5 17 19 31',
  },
  {
    name: 'an invalid date (30 February) is ignored',
    rule: 'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5',
    start: `2007-01-15${NINE}`,
    expected: '2007-01: 15 30; 2007-02: 15; 2007-03: 15 30',
  },
];

/** `1997-09: 2 3; 1997-10: 2 at 9:00 9:20` as local ms. */
function read(text: string): number[] {
  return text.split('; ').flatMap((group) => {
    const [month, list = ''] = group.split(': ');
    const [days = '', times = '9:00'] = list.split(' at ');
    return days
      .split(' ')
      .flatMap((day) =>
        times.split(' ').map((time) => Date.parse(`${month}-${day.padStart(2, '0')}T${time.padStart(5, '0')}:00Z`)),
      );
  });
}

describe('examples of RFC 5545 §3.8.5.3', () => {
  it.each(EXAMPLES.map((e) => [e.name, e] as const))(
    '%s',
    (_, { rule, start = START, expected, more, total, exdates }) => {
      const series: Series = {
        rule: parseRule(rule),
        startLocalMs: Date.parse(`${start}Z`),
        timeZone: 'America/New_York',
        durationMs: 3_600_000,
        allDay: false,
        exdates: exdates?.map((text) => Date.parse(`${text}Z`)),
      };
      const wanted = read(expected);
      const to = more && total === undefined ? wanted[wanted.length - 1]! + 12 * 3_600_000 : Date.UTC(2030, 0, 1);
      const found = occurrencesBetween(series, 0, to).map((o) => o.localMs);
      expect(found.slice(0, wanted.length)).toEqual(wanted);
      if (total !== undefined) expect(found).toHaveLength(total);
      else if (!more) expect(found).toHaveLength(wanted.length);
    },
  );
});
