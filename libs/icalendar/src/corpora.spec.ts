import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { occurrencesBetween, parseRule } from '@groupware/recurrence';
import type { CalendarEvent } from './calendar-event';
import { readCalendar } from './calendar-reader';
import { writeCalendar } from './calendar-writer';
import type { ImportedItem } from './imported-item';

const root = join(__dirname, '..', 'testdata');
const folders = ['ical4j', 'icalendar', 'caldavtester', 'ical-js'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ics'))
    .map((name) => `${folder}/${name}`),
);

async function read(source: Buffer | string, defaultTimeZone = 'Europe/Berlin'): Promise<ImportedItem[]> {
  const items: ImportedItem[] = [];
  for await (const item of readCalendar([source], { defaultTimeZone, pause: () => undefined })) items.push(item);
  return items;
}

const readFile = (file: string) => read(readFileSync(join(root, file)));

async function readEvent(file: string, index = 0): Promise<CalendarEvent> {
  const event = (await readFile(file))[index]!.event;
  if (!event) throw new Error(`${file} has no event ${index}`);
  return event;
}

/**
 * Expected results of each file, worked out from its text: number of events, then the errors, then the warnings of each item
 * that has any (by its index).
 */
const EXPECTED: Record<string, [events: number, errors?: string[], warnings?: Record<number, string[]>]> = {
  'ical4j/ArgentinaHolidays.ics': [11],
  'ical4j/Casablanca.ics': [0], // a VTIMEZONE alone
  'ical4j/EXDATE.ics': [1],
  'ical4j/blankTzid.ics': [1],
  'ical4j/calconnect.ics': [1],
  'ical4j/calconnect2.ics': [1],
  'ical4j/calconnect3.ics': [1],
  'ical4j/calconnect4.ics': [1],
  'ical4j/calconnect5.ics': [1],
  'ical4j/calconnect6.ics': [1],
  'ical4j/calconnect7.ics': [1],
  'ical4j/calconnect8.ics': [1],
  'ical4j/calconnect9.ics': [1],
  'ical4j/categories.ics': [0, ['missing-start']],
  'ical4j/dst-only-vtimezone.ics': [1],
  'ical4j/friday13.ics': [1, [], { 0: ['missing-uid'] }],
  'ical4j/multiple_calendars.ics': [2],
  'ical4j/rfc5545-sec3.4.ics': [1],
  'ical4j/rfc5545-sec3.6.1.ics': [4],
  'ical4j/rfc5545-sec3.6.2.ics': [0, ['unsupported-component', 'unsupported-component']], // two VTODO
  'ical4j/rfc5545-sec3.6.3.ics': [0, ['unsupported-component']], // VJOURNAL
  'ical4j/rfc5545-sec3.6.4.ics': [0, Array<string>(3).fill('unsupported-component')], // three VFREEBUSY
  'ical4j/rfc5545-sec3.6.5.ics': [0], // five VTIMEZONE
  'ical4j/rfc5545-sec3.6.6.ics': [0, ['unsupported-component', 'unsupported-component']], // two VALARM without event
  'ical4j/rfc5545-sec4.1.ics': [1],
  'ical4j/rfc5545-sec4.2.ics': [1],
  'ical4j/rfc5545-sec4.3.ics': [1],
  'ical4j/rfc5545-sec4.4.ics': [0, ['unsupported-component']], // VTODO
  'ical4j/rfc5545-sec4.5.ics': [0, ['unsupported-component']], // VJOURNAL
  'icalendar/america_new_york.ics': [1],
  'icalendar/bom_calendar.ics': [0],
  'icalendar/broken_dtstart.ics': [0, ['invalid-start']],
  'icalendar/calendar_with_unicode.ics': [0],
  'icalendar/empty.ics': [0],
  'icalendar/event-event_with_escaped_characters.ics': [0, ['missing-start']],
  'icalendar/event-event_with_recurrence.ics': [1, [], { 0: ['missing-uid'] }],
  'icalendar/event-event_with_unicode_fields.ics': [1],
  'icalendar/event-issue_70_rrule_causes_attribute_error.ics': [1],
  // DTSTART and DTEND are the same day, both without VALUE=DATE: one warning for each property and the empty range.
  'icalendar/example.ics': [
    3,
    [],
    {
      0: ['date-repaired', 'date-repaired'],
      1: ['date-repaired', 'date-repaired'],
      2: ['date-repaired', 'date-repaired'],
    },
  ],
  'icalendar/invalid_duration.ics': [0, ['invalid-duration']],
  'icalendar/issue_1081_empty_rdate.ics': [1],
  'icalendar/issue_1081_event_with_rrule.ics': [1],
  'icalendar/issue_1081_freebusy_comma_separated.ics': [0, ['unsupported-component']],
  'icalendar/issue_1081_invalid_rrule_freq.ics': [0, ['invalid-rrule']],
  'icalendar/issue_1081_invalid_start_and_end.ics': [0, ['invalid-start']],
  'icalendar/issue_1081_invalid_start_valid_end.ics': [0, ['invalid-start']],
  'icalendar/issue_1081_list_of_properties.ics': [1],
  'icalendar/issue_1081_tzid_param.ics': [1],
  'icalendar/issue_1081_with_summary.ics': [0, ['missing-start']],
  'icalendar/issue_237_fail_to_parse_timezone_with_non_ascii_tzid.ics': [1, [], { 0: ['missing-uid'] }],
  'icalendar/issue_27_multiple_periods_in_freebusy_one_freebusy.ics': [0, ['unsupported-component']],
  'icalendar/issue_466_convert_tzid_with_slash.ics': [1],
  'icalendar/issue_466_respect_unique_timezone.ics': [1],
  // No zone goes from +12 to +10 in May.
  'icalendar/issue_722_timezone_transition_ambiguity.ics': [
    4,
    [],
    { 0: ['time-zone-fixed'], 1: ['time-zone-fixed'], 2: ['time-zone-fixed'], 3: ['time-zone-fixed'] },
  ],
  // RDATE;VALUE=TIME in each of the three.
  'icalendar/multiple_timezones.ics': [3, [], { 0: ['invalid-rdate'], 1: ['invalid-rdate'], 2: ['invalid-rdate'] }],
  'icalendar/rfc_6868.ics': [0, ['missing-start']],
  'icalendar/small_bad_calendar.ics': [0, ['missing-start']],
  'icalendar/timezone_rdate.ics': [1, [], { 0: ['malformed-line'] }], // SUMMARY=testevent
  'icalendar/x_location.ics': [1],
  'caldavtester/floating-put-10.ics': [0, ['invalid-start']],
  'caldavtester/floating-put-11.ics': [0, ['invalid-start']],
  'caldavtester/floating-put-12.ics': [0, ['invalid-start']],
  'caldavtester/floating-put-9.ics': [0, ['invalid-start']],
  'caldavtester/freebusy-1.ics': [0, ['invalid-start']],
  'caldavtester/freebusy-2.ics': [0, ['invalid-start']],
  'caldavtester/freebusy-3.ics': [0, ['unsupported-component']],
  'caldavtester/recurrence-splitting-simple-1.ics': [0, ['invalid-start']],
  'caldavtester/recurrence-splitting-simple-2.ics': [0, ['invalid-start']],
  'caldavtester/recurrence-splitting-simple-3.ics': [0, ['invalid-start']],
  'caldavtester/recurrence-splitting-simple-4.ics': [0, ['invalid-start']],
  'caldavtester/recurrence-splitting-simple-5.ics': [0, ['invalid-start']],
  'caldavtester/recurrence-splitting-simple-6.ics': [0, ['invalid-start']],
  'caldavtester/recurrenceput-11.ics': [0, ['invalid-start']],
  'caldavtester/recurrenceput-12.ics': [0, ['invalid-start']],
  'caldavtester/recurrenceput-13.ics': [0, ['invalid-start']],
  'caldavtester/recurrenceput-14.ics': [0, ['invalid-start']],
  'caldavtester/recurrenceput-15.ics': [0, ['invalid-start']],
  'ical-js/duration_instead_of_dtend.ics': [1],
  'ical-js/google_birthday.ics': [4, [], { 0: ['date-repaired'] }], // RDATE:20131210Z
  'ical-js/only_dtstart_date.ics': [1],
  'ical-js/rdate_exdate.ics': [1, [], { 0: ['date-repaired'] }], // a day excluded from a series of times
};

describe('files of many programs', () => {
  it('has an expectation for every file', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual([...files].sort());
  });

  it.each(files)('%s', async (file) => {
    const [events, errors = [], warnings = {}] = EXPECTED[file]!;
    const items = await readFile(file);
    expect(items.filter((item) => item.event)).toHaveLength(events);
    expect(items.flatMap((item) => item.error?.reason ?? [])).toEqual(errors);
    expect(items.map((item) => item.index)).toEqual(items.map((_, index) => index));
    expect(
      Object.fromEntries(
        items
          .filter((item) => item.warnings.length > 0)
          .map((item) => [item.index, item.warnings.map(({ code }) => code)]),
      ),
    ).toEqual(warnings);
    for (const item of items) expect(Boolean(item.event)).toBe(!item.error);
  });

  it.each(files)('writes what it read from %s', async (file) => {
    const events = (await readFile(file)).flatMap(({ event }) => event ?? []);
    let text = '';
    for await (const piece of writeCalendar(events, { prodId: '-//Example//EN', nowMs: 0 })) text += piece;
    expect(() => ICAL.parse(text)).not.toThrow();
    expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    const again = await read(text);
    expect(again.map(({ error, warnings }) => ({ error, warnings }))).toEqual(
      events.map(() => ({ error: undefined, warnings: [] })),
    );
    expect(again.map(({ event }) => event)).toEqual(events.map((event) => withoutOriginals(event)));
  });

  it('reads the templates of the test suite once they are filled in', async () => {
    const fill = (text: string) =>
      text
        .replace(/\$now\.year\.(-?\d+):/g, (_, years: string) => String(2026 + Number(years)))
        .replace(/\$now\.(-?\d+):/g, (_, days: string) => `202601${String(15 + Number(days)).padStart(2, '0')}`)
        .replace(/\$(uid\d|olduid|relid|username1|cuaddr1):/g, '$1');
    const found: Record<string, unknown> = {};
    for (const file of files.filter((name) => name.startsWith('caldavtester/'))) {
      const items = await read(fill(readFileSync(join(root, file), 'utf8')));
      expect(items).toHaveLength(1);
      const { event, error } = items[0]!;
      found[file.replace('caldavtester/', '')] = event
        ? [event.start.kind, new Date(event.start.localMs).toISOString(), event.end.localMs - event.start.localMs]
        : error?.reason;
      if (file.includes('splitting')) {
        expect(event?.alarms).toEqual([
          {
            action: 'DISPLAY',
            description: 'Event reminder',
            trigger: { kind: 'relative', relatedTo: 'START', offsetMs: -480_000 },
            attendees: [],
            attachments: [],
            extraProperties: [],
          },
        ]);
      }
    }
    const day = 86_400_000;
    const hour = 3_600_000;
    expect(found).toEqual({
      'floating-put-9.ics': ['date', '2027-01-01T00:00:00.000Z', day],
      'floating-put-10.ics': ['date', '2027-01-02T00:00:00.000Z', day],
      'floating-put-11.ics': ['floating', '2027-01-01T01:00:00.000Z', hour],
      'floating-put-12.ics': ['floating', '2027-01-02T01:00:00.000Z', hour],
      'freebusy-1.ics': ['zoned', '2026-01-15T09:00:00.000Z', hour],
      'freebusy-2.ics': ['date', '2026-01-15T00:00:00.000Z', day],
      'freebusy-3.ics': 'unsupported-component',
      'recurrence-splitting-simple-1.ics': ['utc', '2026-01-05T12:00:00.000Z', hour],
      'recurrence-splitting-simple-2.ics': ['utc', '2026-01-15T12:00:00.000Z', hour],
      'recurrence-splitting-simple-3.ics': ['utc', '2026-01-05T12:00:00.000Z', hour],
      'recurrence-splitting-simple-4.ics': ['utc', '2026-01-05T12:00:00.000Z', hour],
      'recurrence-splitting-simple-5.ics': ['utc', '2026-01-05T12:00:00.000Z', hour],
      'recurrence-splitting-simple-6.ics': ['utc', '2026-01-05T12:00:00.000Z', hour],
      'recurrenceput-11.ics': ['zoned', '2027-01-01T12:00:00.000Z', hour],
      'recurrenceput-12.ics': ['zoned', '2027-01-01T12:00:00.000Z', hour],
      'recurrenceput-13.ics': ['zoned', '2027-01-01T12:00:00.000Z', hour],
      'recurrenceput-14.ics': ['zoned', '2027-01-01T12:00:00.000Z', hour],
      'recurrenceput-15.ics': ['zoned', '2027-01-01T12:00:00.000Z', hour],
    });
  });
});

describe('what the files say', () => {
  it('occurrences of the series with known answers', async () => {
    const expected: Record<string, { count?: number; first: number[] }> = {
      'ical4j/EXDATE.ics': {
        count: 5,
        first: [1136080800000, 1136167200000, 1136426400000, 1136512800000, 1136599200000],
      },
      // DTSTART is no Friday the 13th, and excluded.
      'ical4j/friday13.ics': { first: [887378400000, 889797600000, 910965600000, 934549200000, 971442000000] },
      'icalendar/issue_1081_event_with_rrule.ics': {
        count: 10,
        first: [1735725600000, 1735812000000, 1735898400000, 1735984800000, 1736071200000],
      },
      'icalendar/x_location.ics': {
        first: [1477656000000, 1477918800000, 1478005200000, 1478091600000, 1478178000000],
      },
    };
    for (const [file, { count, first }] of Object.entries(expected)) {
      const event = await readEvent(file);
      const found = occurrencesBetween(
        {
          rule: parseRule(event.rrule ?? ''),
          startLocalMs: event.start.localMs,
          timeZone: event.start.timeZone ?? 'UTC',
          durationMs: event.end.localMs - event.start.localMs,
          allDay: false,
          exdates: event.exdates,
        },
        0,
        Date.UTC(2030, 0, 1),
        { limit: 100 },
      ).map(({ startMs }) => startMs);
      expect({ file, first: found.slice(0, 5) }).toEqual({ file, first });
      if (count !== undefined) expect(found).toHaveLength(count);
    }
  });

  it('texts folded at odd places, accents and escapes', async () => {
    const holidays = (await readFile('ical4j/ArgentinaHolidays.ics')).map(({ event }) => event);
    expect(holidays.map((event) => event?.summary)).toContain('Inmaculada Concepción de María');
    expect(holidays[8]).toMatchObject({
      uid: '6a4936a4-5d8e-11d9-a63a-eaba95aacf8d',
      description:
        'Día de la Raza. Este evento se conmemora el día 12.10.2004, pero se traslada al 10.10.2004  por Ley 23.555.',
      categories: ['Public Holiday'],
      url: 'http://www.mininterior.gov.ar/servicios/feriados2005.asp',
      start: { kind: 'date', localMs: Date.UTC(2005, 9, 10) },
      end: { kind: 'date', localMs: Date.UTC(2005, 9, 11) },
      lastModifiedMs: Date.UTC(2005, 0, 3, 13, 58, 35),
      extraProperties: [
        ['x-mozilla-alarm-default-length', {}, 'unknown', '0'],
        ['x-mozilla-recur-default-interval', {}, 'unknown', '0'],
      ],
    });
    const unicode = await readEvent('icalendar/event-event_with_unicode_fields.ics');
    expect(unicode.summary).toBe('Non-ASCII Test: ÄÖÜ äöü €');
    expect(unicode.location).toBe('Tribstrül');
    const sync = await readEvent('icalendar/x_location.ics');
    expect(sync.location).toBe('Roadstar 16\n12764 Happyville\nDenmark');
    const [place] = sync.extraProperties;
    expect(place!.slice(2)).toEqual(['uri', 'geo:52.382762,7.528319']);
    expect(place![1]).toMatchObject({ 'x-address': 'Röadstar 16\\n12764 Happyville\\nDenmark', 'x-title': '' });
  });

  it('zones under names of their own are found by their rules', async () => {
    const zones = async (file: string) => {
      const { start } = await readEvent(file);
      return [start.kind, start.timeZone, start.originalTzid];
    };
    expect(await zones('ical4j/calconnect.ics')).toEqual(['zoned', 'America/New_York', 'Eastern']);
    expect(await zones('icalendar/america_new_york.ics')).toEqual([
      'zoned',
      'America/New_York',
      'custom_America/New_York',
    ]);
    // Clocks change a second before midnight there.
    expect(await zones('icalendar/issue_237_fail_to_parse_timezone_with_non_ascii_tzid.ics')).toEqual([
      'zoned',
      'America/Sao_Paulo',
      '(UTC-03:00) Brasília',
    ]);
    expect(await zones('icalendar/issue_466_respect_unique_timezone.ics')).toEqual([
      'zoned',
      'Europe/Berlin',
      '/Europe/CUSTOM',
    ]);
    expect(await zones('icalendar/timezone_rdate.ics')).toEqual(['zoned', 'Europe/Vaduz', 'posix/Europe/Vaduz']);
    expect(await zones('ical4j/blankTzid.ics')).toEqual(['utc', undefined, '']);
  });

  it('a zone like no other keeps its offset at each event', async () => {
    const items = await readFile('icalendar/issue_722_timezone_transition_ambiguity.ics');
    // Each event names in X-TZNAME which side of the change it lies on; a time that exists twice is the first one.
    expect(items.map(({ event }) => [event?.extraProperties[0]![3], event?.start.timeZone])).toEqual([
      ['winter', 'GMT+12:00'],
      ['summer', 'GMT+10:00'],
      ['summer', 'GMT+10:00'],
      ['winter', 'GMT+12:00'],
    ]);
  });

  it('ends come from DTEND, DURATION or the defaults', async () => {
    const start = Date.UTC(2012, 5, 30, 6);
    expect((await readEvent('ical-js/duration_instead_of_dtend.ics')).end.localMs).toBe(start + 86_400_000);
    expect((await readEvent('ical-js/only_dtstart_date.ics')).end).toEqual({
      kind: 'date',
      localMs: Date.UTC(2012, 6, 1),
    });
    const none = await readEvent('icalendar/america_new_york.ics');
    expect(none.end.localMs - none.start.localMs).toBe(7_200_000);
    expect((await readEvent('icalendar/example.ics')).end.localMs).toBe(Date.UTC(2022, 0, 2));
  });

  it('periods with the length of the event are plain dates', async () => {
    const event = await readEvent('ical4j/calconnect8.ics');
    expect(event.rdatePeriods).toEqual([]);
    // The first of the five is the start itself.
    expect(event.rdates.map((ms) => new Date(ms).toISOString())).toEqual([
      '2005-04-26T10:00:00.000Z',
      '2005-04-27T09:00:00.000Z',
      '2005-04-28T11:00:00.000Z',
      '2005-04-29T09:00:00.000Z',
    ]);
    const changed = await readEvent('ical4j/calconnect6.ics');
    expect(changed.rdates).toEqual([]);
    expect(changed.recurrenceId).toEqual({ kind: 'utc', localMs: Date.UTC(2005, 3, 26, 13) });
  });

  it('a day excluded from a series of times is the occurrence of that day', async () => {
    expect((await readEvent('ical-js/rdate_exdate.ics')).exdates).toEqual([Date.UTC(2024, 5, 11, 3)]);
  });

  it('people', async () => {
    const event = await readEvent('ical4j/calconnect.ics');
    expect(event.organizer).toEqual({ uri: 'mailto:iCalChair@coffeebean.com', cn: 'iCal Chair/CoffeeBean' });
    expect(event.attendees).toEqual([
      {
        uri: 'mailto:iCalChair@coffeebean.com',
        cn: 'iCal Chair/CoffeeBean',
        role: 'CHAIR',
        partStat: 'ACCEPTED',
        rsvp: false,
      },
      {
        uri: 'mailto:iCalParticipant@coffeebean.com',
        cn: 'iCal Participant/CoffeeBean',
        role: 'REQ-PARTICIPANT',
        partStat: 'NEEDS-ACTION',
        rsvp: true,
      },
    ]);
  });

  it('calendars', async () => {
    expect((await readFile('ical4j/EXDATE.ics'))[0]!.calendar).toEqual({
      method: 'PUBLISH',
      prodId: '-//Apple Computer, Inc//iCal 2.0//EN',
      name: 'EXDATE Example',
      timeZone: 'Australia/Brisbane',
    });
    expect((await readFile('ical4j/multiple_calendars.ics')).map(({ calendar }) => calendar.method)).toEqual([
      'CREATE',
      'REQUEST',
    ]);
  });
});

function withoutOriginals(event: CalendarEvent): CalendarEvent {
  const plain = <T>(time: T): T => (time ? { ...time, originalTzid: undefined } : time);
  return {
    ...event,
    dtstampMs: event.dtstampMs ?? 0,
    start: plain(event.start),
    end: plain(event.end),
    recurrenceId: plain(event.recurrenceId),
  };
}
