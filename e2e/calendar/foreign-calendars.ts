/** The refusal of an item that starts on a day and ends at a time; it has a code of its own. */
export const MIXED_KINDS = /not of the same kind/;

/** A calendar file as some program writes it, and what becomes of each of its items. */
export interface ForeignCalendar {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** For each item in order: the text of its refusal, or nothing when it is stored. */
  readonly items: readonly (RegExp | undefined)[];
  /** Starts that the view shows between 1 March and 15 May 2024, UTC to the minute, each with its title. */
  readonly starts: readonly string[];
}

const event = (...lines: readonly string[]): string[] => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
const simple = (uid: string, ...lines: readonly string[]): string[] => event(`UID:${uid}`, `SUMMARY:${uid}`, ...lines);
const file = (lines: readonly (string | readonly string[])[], head = ['VERSION:2.0', 'PRODID:x']): string =>
  ['BEGIN:VCALENDAR', ...head, ...lines.flat(), 'END:VCALENDAR', ''].join('\r\n');
const stored = (count: number): undefined[] => Array.from({ length: count }, () => undefined);

const OUTLOOK = file(
  [
    ['BEGIN:VTIMEZONE', 'TZID:W. Europe Standard Time'],
    ['BEGIN:STANDARD', 'DTSTART:16010101T030000', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100'],
    ['RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10', 'END:STANDARD'],
    ['BEGIN:DAYLIGHT', 'DTSTART:16010101T020000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200'],
    ['RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3', 'END:DAYLIGHT', 'END:VTIMEZONE'],
    event(
      'UID:040000008200E00074C5B7101A82E008',
      'ORGANIZER;CN="Müller, Hans":MAILTO:hans@example.com',
      'ATTENDEE;CN="a;b:c,d";RSVP=TRUE:mailto:a@example.com',
      'DTSTART;TZID="W. Europe Standard Time":20240327T090000',
      'DTEND;TZID="W. Europe Standard Time":20240327T100000',
      'RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=WE;WKST=MO',
      'EXDATE;TZID="W. Europe Standard Time":20240410T090000',
      'SUMMARY;LANGUAGE=de:Jour\\, fixe',
      'X-ALT-DESC;FMTTYPE=text/html:<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2//EN">\\n<HTML>x\\;y</HTML>',
      'X-MICROSOFT-CDO-BUSYSTATUS:OOF',
      ...['BEGIN:VALARM', 'TRIGGER:-PT15M', 'ACTION:DISPLAY', 'DESCRIPTION:Reminder', 'END:VALARM'],
    ),
    event(
      'UID:040000008200E00074C5B7101A82E008',
      'RECURRENCE-ID;TZID="W. Europe Standard Time":20240403T090000',
      'DTSTART;TZID="W. Europe Standard Time":20240403T110000',
      'DTEND;TZID="W. Europe Standard Time":20240403T120000',
      'SUMMARY:Moved',
    ),
  ],
  ['PRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN', 'VERSION:2.0', 'METHOD:REQUEST'],
);

const GOOGLE = file(
  [
    simple('leap', 'DTSTART;VALUE=DATE:20200229', 'DTEND;VALUE=DATE:20200301', 'RRULE:FREQ=YEARLY'),
    simple(
      'exdates',
      'DTSTART;TZID=Europe/Berlin:20240405T090000',
      'DTEND;TZID=Europe/Berlin:20240405T100000',
      'RRULE:FREQ=DAILY;COUNT=5',
      'EXDATE;TZID=America/New_York:20240406T030000',
      'EXDATE:20240407T070000Z',
      'EXDATE;VALUE=DATE:20240408',
    ),
    simple('until', 'DTSTART:20240501T070000Z', 'DURATION:PT30M', 'RRULE:FREQ=DAILY;UNTIL=20240502T065959Z'),
  ],
  ['PRODID:-//Google Inc//Google Calendar 70.9054//EN', 'VERSION:2.0', 'X-WR-TIMEZONE:Europe/Berlin'],
);

const APPLE = file([
  ['BEGIN:VTIMEZONE', 'TZID:Europe/Berlin', 'END:VTIMEZONE'],
  simple(
    'alarms',
    'DTSTART;TZID=Europe/Berlin:20240401T090000',
    'DTEND;TZID=Europe/Berlin:20240401T100000',
    'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="Street 1\\nCity";X-TITLE=Home:geo:52.5,13.4',
    ...['BEGIN:VALARM', 'TRIGGER;VALUE=DATE-TIME:19760401T005545Z', 'ACTION:NONE', 'END:VALARM'],
    ...['BEGIN:VALARM', 'TRIGGER;RELATED=END:PT5M', 'ACTION:AUDIO', 'ATTACH;VALUE=URI:Basso', 'END:VALARM'],
    ...['BEGIN:VALARM', 'TRIGGER:-P1DT2H', 'ACTION:EMAIL', 'ATTENDEE:mailto:x@example.com', 'SUMMARY:s'],
    ...['DESCRIPTION:d', 'REPEAT:3', 'DURATION:PT5M', 'END:VALARM', 'BEGIN:VALARM', 'ACTION:DISPLAY', 'END:VALARM'],
  ),
  simple(
    'day with zone',
    'DTSTART;VALUE=DATE;TZID=Europe/Berlin:20240501',
    'DTEND;VALUE=DATE;TZID=Europe/Berlin:20240503',
  ),
]);

const zoned = (uid: string, zone: string): string[] =>
  simple(uid, `DTSTART;TZID=${zone}:20240401T090000`, 'DURATION:PT1H');
const EXCHANGE = file([
  ['BEGIN:VTIMEZONE', 'TZID:Customized Time Zone', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
  ['TZOFFSETFROM:+0545', 'TZOFFSETTO:+0545', 'END:STANDARD', 'END:VTIMEZONE'],
  zoned('nepal', 'Customized Time Zone'),
  zoned('custom', 'tzone://Microsoft/Custom'),
  zoned('utc', 'tzone://Microsoft/Utc'),
  zoned('rome', '/freeassociation.sourceforge.net/Tzfile/Europe/Rome'),
  zoned('windows', 'Eastern Standard Time'),
  simple('two zones', 'DTSTART;TZID=UTC:20240401T090000', 'DTEND;TZID=Etc/GMT-2:20240401T120000'),
]);

const LOTUS = file(
  [
    simple(
      'notes',
      'DTSTART;TZID="Eastern":20240401T090000',
      'DTEND;TZID="Eastern":20240401T100000',
      'RRULE:FREQ=DAILY;COUNT=1',
      'RDATE;TZID="Eastern";VALUE=PERIOD:20240402T090000/20240402T100000,20240403T090000/PT1H',
      'X-LOTUS-NOTESVERSION:2',
    ),
    ['BEGIN:VTIMEZONE', 'TZID:Eastern', 'BEGIN:STANDARD', 'DTSTART:19501105T020000', 'TZOFFSETFROM:-0400'],
    ['TZOFFSETTO:-0500', 'RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11;BYHOUR=2;BYMINUTE=0', 'END:STANDARD'],
    ['BEGIN:DAYLIGHT', 'DTSTART:19500312T020000', 'TZOFFSETFROM:-0500', 'TZOFFSETTO:-0400'],
    ['RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3;BYHOUR=2;BYMINUTE=0', 'END:DAYLIGHT', 'END:VTIMEZONE'],
  ],
  ['X-LOTUS-CHARSET:UTF-8', 'VERSION:2.0', 'PRODID:-//Lotus Development Corporation//NONSGML Notes 8.5//EN_C'],
);

const change = (id: string, ...lines: readonly string[]): string[] => event('UID:series', id, ...lines);
const EXCEPTIONS = file([
  simple('orphan', 'RECURRENCE-ID:20240402T090000Z', 'DTSTART:20240402T110000Z', 'DTEND:20240402T120000Z'),
  simple('series', 'DTSTART;TZID=Europe/Berlin:20240401T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=6'),
  change('RECURRENCE-ID:20240402T070000Z', 'DTSTART:20240402T120000Z', 'DURATION:PT1H', 'SUMMARY:as instant'),
  change('RECURRENCE-ID;VALUE=DATE:20240403', 'DTSTART:20240403T130000Z', 'DURATION:PT1H', 'SUMMARY:as day'),
  change(
    'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20240404T090000',
    'DTSTART:20240404T140000Z',
    'DURATION:PT1H',
    'SUMMARY:and all that follow',
  ),
  change('RECURRENCE-ID:20240405T070000Z', 'STATUS:CANCELLED', 'DTSTART:20240405T070000Z', 'SUMMARY:called off'),
  simple('bad', 'RECURRENCE-ID:2024', 'DTSTART:20240402T110000Z'),
]);

const TIMES: readonly [string, readonly string[], RegExp?][] = [
  ['a', ['DTSTART:20240401T240000Z', 'DTEND:20240402T010000Z'], /DTSTART is not a time/],
  ['b', ['DTSTART:20240401T100060Z', 'DTEND:20240401T110000Z']],
  ['c', ['DTSTART:20240401T100000Z', 'DTEND:20240401T090000Z'], /DTEND is before DTSTART/],
  ['d', ['DTSTART:20240401T100000Z', 'DURATION:-PT1H'], /DURATION is negative/],
  ['e', ['DTSTART:20240401T100000Z', 'DURATION:PT'], /DURATION is not a length/],
  ['f', ['DTSTART;VALUE=DATE:20240401', 'DTEND;VALUE=DATE:20240401']],
  ['g', ['DTSTART;VALUE=DATE:20240401', 'DTEND:20240402T100000Z'], MIXED_KINDS],
  ['h', ['DTSTART:20240230T100000Z'], /DTSTART is not a time/],
  ['i', ['DTSTART:20240401', 'DTEND:20240402']],
  ['j', ['DTSTART:20240401T100000Z', 'DTEND:20240401T110000Z', 'DURATION:PT3H']],
  ['k', ['DTSTART:20240401T100000Z', 'DURATION:P99999999D'], /DURATION is not a length/],
  ['l', [], /DTSTART/],
];

const letters = Buffer.from(`SUMMARY:${'ä€😀'.repeat(20)}`);
/** Folds that cut characters apart, a byte order mark, and every end of line there is. */
const FOLDED = Buffer.concat([
  Buffer.from(
    '\ufeffBEGIN:VCALENDAR\r\nVERSION:2.0\nPRODID:x\r\n\r\nBEGIN:VEVENT\rUID:f\r\nDTSTART:20240401T100000Z\r\n',
  ),
  ...[0, 73, 146].map((at) => Buffer.concat([Buffer.from(at ? '\r\n ' : ''), letters.subarray(at, at + 73)])),
  Buffer.from('\nDESCRIPTION:a\r\n\tb\nEND:VEVENT\rEND:VCALENDAR'),
]);

const other = (name: string): string[] => [`BEGIN:${name}`, `UID:${name}`, `END:${name}`];
const SEVERAL =
  file([]) +
  file([simple('one', 'DTSTART:20240401T100000Z')]) +
  file([...['VTODO', 'VJOURNAL', 'VFREEBUSY', 'X-COMP'].map(other), simple('two', 'DTSTART:20240401T110000Z')]);

const ODD = file([
  simple('binary', 'DTSTART:20240401T100000Z', `ATTACH;ENCODING=BASE64;VALUE=BINARY:${'QUJD'.repeat(9_000)}`),
  simple('long', 'DTSTART:20240401T100000Z', `DESCRIPTION:${'x'.repeat(400_000)}`),
  simple('longer', 'DTSTART:20240401T100000Z', `DESCRIPTION:${'x'.repeat(1_200_000)}`),
  simple(
    'garbage',
    'DTSTART:20240401T100000Z',
    'NOT A LINE',
    '=:=',
    ';;;:',
    'X-\u0001:',
    'GEO:200;200',
    'CLASS:SECRET',
  ),
]);

const RULES: readonly [string, RegExp?][] = [
  ['FREQ=DAILY;COUNT=2147483647'],
  ['FREQ=DAILY;INTERVAL=2147483647'],
  ['FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO'],
  ['FREQ=YEARLY;BYYEARDAY=-366'],
  ['FREQ=MONTHLY;BYDAY=5FR;BYSETPOS=366'],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
  ['FREQ=DAILY;COUNT=99999999999', /COUNT/],
  ['FREQ=MINUTELY;BYHOUR=25', /BYHOUR/],
  ['FREQ=WEEKLY;BYDAY=XX', /BYDAY/],
  ['FREQ=FORTNIGHTLY', /FREQ/],
];

/** The Mondays of a series since 1900. */
const mondays = Array.from({ length: 11 }, (_, week) => Date.UTC(2024, 2, 4 + 7 * week, 9)).map(
  (start) => `${new Date(start).toISOString().slice(0, 16)} 1900`,
);

/** Files made here, in the manner of programs people use. */
export const FOREIGN: readonly ForeignCalendar[] = [
  {
    name: 'Outlook',
    content: OUTLOOK,
    items: stored(2),
    starts: ['2024-03-27T08:00 Jour, fixe', '2024-04-03T09:00 Moved', '2024-04-17T07:00 Jour, fixe'],
  },
  {
    name: 'Google',
    content: GOOGLE,
    items: stored(3),
    starts: ['2024-04-05T07:00 exdates', '2024-04-09T07:00 exdates', '2024-05-01T07:00 until'],
  },
  {
    name: 'Apple',
    content: APPLE,
    items: stored(2),
    starts: ['2024-04-01T07:00 alarms', '2024-05-01T00:00 day with zone'],
  },
  {
    name: 'Exchange',
    content: EXCHANGE,
    items: stored(6),
    starts: [
      '2024-04-01T03:15 nepal',
      '2024-04-01T07:00 custom',
      '2024-04-01T07:00 rome',
      '2024-04-01T09:00 two zones',
      '2024-04-01T09:00 utc',
      '2024-04-01T13:00 windows',
    ],
  },
  {
    name: 'Lotus Notes',
    content: LOTUS,
    items: stored(1),
    starts: ['2024-04-01T13:00 notes', '2024-04-02T13:00 notes', '2024-04-03T13:00 notes'],
  },
  {
    name: 'changed occurrences',
    content: EXCEPTIONS,
    items: [...stored(6), /RECURRENCE-ID is not a time/],
    starts: [
      '2024-04-01T07:00 series',
      '2024-04-02T11:00 orphan',
      '2024-04-02T12:00 as instant',
      '2024-04-03T13:00 as day',
      '2024-04-04T14:00 and all that follow',
      '2024-04-05T07:00 called off',
      '2024-04-06T14:00 and all that follow',
    ],
  },
  {
    name: 'times',
    content: file(TIMES.map(([uid, lines]) => simple(uid, ...lines))),
    items: TIMES.map(([, , refusal]) => refusal),
    starts: ['2024-04-01T00:00 f', '2024-04-01T00:00 i', '2024-04-01T10:00 b', '2024-04-01T10:00 j'],
  },
  { name: 'folds', content: FOLDED, items: stored(1), starts: [`2024-04-01T10:00 ${'ä€😀'.repeat(20)}`] },
  {
    name: 'several calendars',
    content: SEVERAL,
    items: [undefined, /VTODO/, /VJOURNAL/, /VFREEBUSY/, /X-COMP/, undefined],
    starts: ['2024-04-01T10:00 one', '2024-04-01T11:00 two'],
  },
  {
    name: 'odd contents',
    content: ODD,
    items: [undefined, undefined, /octets/, undefined],
    starts: ['binary', 'garbage', 'long'].map((title) => `2024-04-01T10:00 ${title}`),
  },
  {
    name: 'rules',
    content: file(
      RULES.map(([rule], index) => simple(`r${index}`, 'DTSTART:20400101T090000Z', 'DURATION:PT1H', `RRULE:${rule}`)),
    ),
    items: RULES.map(([, refusal]) => refusal),
    starts: [],
  },
  {
    name: 'a series since 1900',
    content: file([simple('1900', 'DTSTART:19000101T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY')]),
    items: stored(1),
    starts: mondays,
  },
];
