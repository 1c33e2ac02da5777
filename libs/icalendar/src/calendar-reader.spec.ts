import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CalendarEvent } from './calendar-event';
import { readCalendar } from './calendar-reader';
import type { CalendarReadOptions, ImportedItem } from './imported-item';

const DAY = 86_400_000;
const HOUR = 3_600_000;

async function read(
  source: string | Buffer | Iterable<string | Uint8Array>,
  options: Partial<CalendarReadOptions> = {},
): Promise<ImportedItem[]> {
  const items: ImportedItem[] = [];
  const chunks = typeof source === 'string' || Buffer.isBuffer(source) ? [source] : source;
  for await (const item of readCalendar(chunks, {
    defaultTimeZone: 'Europe/Berlin',
    pause: () => undefined,
    ...options,
  }))
    items.push(item);
  return items;
}

const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const vevent = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT'].join('\r\n');

async function readEvent(...lines: string[]): Promise<CalendarEvent & { warnings: string[] }> {
  const { event, error, warnings } = (await read(calendar(vevent(...lines))))[0]!;
  if (!event) throw new Error(`no event: ${error?.reason}`);
  return { ...event, warnings: warnings.map(({ code }) => code) };
}

async function reasonFor(...lines: string[]): Promise<string | undefined> {
  const items = await read(calendar(vevent(...lines)));
  expect(items).toHaveLength(1);
  return items[0]!.error?.reason;
}

const reasons = (items: ImportedItem[]) => items.map(({ error, event }) => error?.reason ?? event?.uid);

describe('components', () => {
  const simple = (uid: string) => `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20260101T090000Z\r\nEND:VEVENT`;

  it('outside of any calendar, in several calendars, in none', async () => {
    expect(reasons(await read(`${simple('a')}\r\n${simple('b')}`))).toEqual(['a', 'b']);
    expect(reasons(await read(calendar(simple('a')) + calendar() + calendar(simple('b'))))).toEqual(['a', 'b']);
    expect(await read('')).toEqual([]);
    expect(await read([])).toEqual([]);
    expect(await read(calendar())).toEqual([]);
    expect(await read('nothing of interest\n\n\u0000\u0001\nEND:VEVENT\nEND:VCALENDAR\nSUMMARY:x')).toEqual([]);
    expect(await read(Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)))).toEqual([]);
  });

  it.each([
    ['empty', calendar(), 1],
    ['several', calendar(simple('a')) + calendar(), 2],
    ['one that does not end', 'BEGIN:VCALENDAR\r\n', 0],
    ['one that does not begin', 'garbage\nEND:VCALENDAR', 0],
    ['an event outside of any', simple('a'), 0],
  ])('tells calendars that are whole: %s', async (_name, text, count) => {
    const onCalendar = jest.fn();
    await read(text, { onCalendar });
    expect(onCalendar).toHaveBeenCalledTimes(count);
  });

  it('in any case and with blanks', async () => {
    const items = await read(
      'begin:vcalendar\nBegin: vevent \nuid:a\ndtstart:20260101t090000z\nend:Vevent\nEND:VCALENDAR',
    );
    expect(reasons(items)).toEqual(['a']);
    expect(items[0]!.kind).toBe('VEVENT');
  });

  it('that are broken off do not take others with them', async () => {
    const open = 'BEGIN:VEVENT\r\nUID:x\r\nDTSTART:20260101T090000Z';
    expect(reasons(await read(calendar(open, simple('a'))))).toEqual(['unclosed-component', 'a']);
    expect(reasons(await read(calendar(simple('a'), open) + calendar(simple('b'))))).toEqual([
      'a',
      'unclosed-component',
      'b',
    ]);
    expect(reasons(await read(`BEGIN:VCALENDAR\r\n${simple('a')}\r\n${open}`))).toEqual(['a', 'unclosed-component']);
    expect(reasons(await read(calendar(open, 'BEGIN:VALARM', 'END:VEVENT', simple('a'))))).toEqual([
      'unclosed-component',
      'a',
    ]);
    expect(reasons(await read(calendar('BEGIN:VTIMEZONE', 'TZID:x', simple('a'))))).toEqual(['a']);
    expect(reasons(await read(calendar('BEGIN:X-THING', 'BEGIN:Y', simple('a'))))).toEqual(['unclosed-component', 'a']);
    // An END too many, and a calendar without END.
    expect(reasons(await read(`BEGIN:VCALENDAR\r\n${simple('a')}\r\nEND:VALARM\r\n${simple('b')}`))).toEqual([
      'a',
      'b',
    ]);
  });

  it('tell where they stand', async () => {
    const items = await read(
      '\nBEGIN:VCALENDAR\n\nBEGIN:VEVENT\nSUMMARY:a\n b\nDTSTART:x\nEND:VEVENT\nBEGIN:VTODO\nEND:VTODO\n',
    );
    expect(items).toMatchObject([
      { index: 0, kind: 'VEVENT', line: 4, error: { reason: 'invalid-start', line: 7 } },
      { index: 1, kind: 'VTODO', line: 9, error: { reason: 'unsupported-component', line: 9 } },
    ]);
  });

  it('inside an event are kept', async () => {
    const event = await readEvent(
      'DTSTART:20260101T090000Z',
      'BEGIN:VLOCATION',
      'NAME:Room',
      'BEGIN:X-INNER',
      'X-A:1',
      'END:X-INNER',
      'END:VLOCATION',
    );
    expect(event.extraComponents).toEqual([
      {
        name: 'VLOCATION',
        properties: [['name', {}, 'text', 'Room']],
        components: [{ name: 'X-INNER', properties: [['x-a', {}, 'unknown', '1']], components: [] }],
      },
    ]);
  });
});

describe('lines', () => {
  const source = calendar(vevent('DTSTART:20260101T090000Z', 'SUMMARY:Grüße € 😀', 'LOCATION:a\\, b\\;c\\nd\\\\n'));
  const expected = { summary: 'Grüße € 😀', location: 'a, b;c\nd\\n' };

  it.each(['\r\n', '\n', '\r', '\r\r\n'])('end with %j', async (lineEnd) => {
    const { event, line } = (await read(source.replaceAll('\r\n', lineEnd)))[0]!;
    expect(event).toMatchObject(expected);
    expect(line).toBe(lineEnd === '\r\r\n' ? 5 : 3);
  });

  it('may be cut anywhere, also by folds inside of characters', async () => {
    const octets = Buffer.from(source);
    for (let size = 1; size < 12; size++) {
      const chunks = Array.from({ length: Math.ceil(octets.length / size) }, (_, i) =>
        octets.subarray(i * size, (i + 1) * size),
      );
      expect((await read(chunks))[0]!.event).toMatchObject(expected);
      const folded = Buffer.concat(
        chunks.flatMap((chunk) => (chunk.includes(10) || chunk.includes(13) ? [chunk] : [chunk, Buffer.from('\r\n ')])),
      );
      // Folds next to line ends would be empty lines: only those between other octets are made.
      const unfolded = Buffer.from(folded.toString('latin1').replace(/\r\n \r/g, '\r'), 'latin1');
      const { event } = (await read(unfolded))[0]!;
      expect(event).toMatchObject(expected);
    }
    expect((await read([...source.split('')]))[0]!.event).toMatchObject(expected);
    expect((await read(Array.from({ length: source.length }, (_, i) => source[i]!)))[0]!.event).toMatchObject(expected);
  });

  it('in other encodings', async () => {
    const utf16 = Buffer.from(`\ufeff${source}`, 'utf16le');
    expect((await read(utf16))[0]!.event).toMatchObject(expected);
    expect((await read(Buffer.from(utf16).swap16()))[0]!.event).toMatchObject(expected);
    expect((await read([utf16.subarray(0, 1), utf16.subarray(1, 4), utf16.subarray(4)]))[0]!.event).toMatchObject(
      expected,
    );
    expect((await read(Buffer.from(`\ufeff${source}`)))[0]!.event).toMatchObject(expected);
    const latin = Buffer.from(calendar(vevent('DTSTART:20260101T090000Z', 'SUMMARY:Grüße')), 'latin1');
    const [guessed] = await read(latin);
    expect(guessed!.event?.summary).toBe('Grüße');
    expect(guessed!.warnings).toMatchObject([{ code: 'unknown-encoding', line: 6 }]);
    const [told] = await read(latin, { charset: 'iso-8859-1' });
    expect(told!.event?.summary).toBe('Grüße');
    expect(told!.warnings).toEqual([]);
    await expect(read('', { charset: 'no-such' })).rejects.toThrow('no-such');
  });

  it('with hard parameters', async () => {
    const event = await readEvent(
      'DTSTART:20260101T090000Z',
      "ATTENDEE;CN=George Herman ^'Babe^' Ruth;X-A=^^^n:mailto:babe@example.com",
      'ATTENDEE;CN="Doe\\, Jane: x;y";MEMBER="mailto:a@b.c","mailto:d@e.f","mailto:g@h.i","mailto:j@k.l":mailto:z@example.com',
      'ATTENDEE;RSVP:mailto:broken@example.com',
      'ATTENDEE;CN="open:mailto:broken@example.com',
      'no content line',
      'BEGIN;X-A=1:VALARM',
      'ATTACH;X-Q="a:b";FMTTYPE=text/plain:https://example.org/x;y=1?a="b"',
    );
    expect(event.attendees).toEqual([
      { uri: 'mailto:babe@example.com', cn: 'George Herman "Babe" Ruth', parameters: { 'x-a': '^\n' } },
      {
        uri: 'mailto:z@example.com',
        cn: 'Doe, Jane: x;y',
        parameters: { member: ['mailto:a@b.c', 'mailto:d@e.f', 'mailto:g@h.i', 'mailto:j@k.l'] },
      },
    ]);
    expect(event.attachments).toEqual([
      { uri: 'https://example.org/x;y=1?a="b"', formatType: 'text/plain', parameters: { 'x-q': 'a:b' } },
    ]);
    expect(event.extraProperties).toEqual([]);
    expect(event.warnings).toEqual(['malformed-line', 'malformed-line', 'malformed-line', 'malformed-line']);
  });

  it('whose names are those of object members', async () => {
    const event = await readEvent(
      'DTSTART:20260101T090000Z',
      'CONSTRUCTOR;__PROTO__=a;CONSTRUCTOR=b:c',
      '__PROTO__:d',
      'TOSTRING;VALUE=CONSTRUCTOR:e',
    );
    expect(event.extraProperties).toEqual([
      ['constructor', { constructor: 'b' }, 'unknown', 'c'],
      ['tostring', {}, 'constructor', 'e'],
    ]);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});

describe('times', () => {
  it.each([
    ['DTSTART:99999999T999999', 'invalid-start'],
    ['DTSTART:20260230T090000', 'invalid-start'],
    ['DTSTART:20250229', 'invalid-start'],
    ['DTSTART:00000101T000000', 'invalid-start'],
    ['DTSTART:20260101T240000', 'invalid-start'],
    ['DTSTART:20260101T090000ZZ', 'invalid-start'],
    ['DTSTART:2026-01-01T09:00:00Z', 'invalid-start'],
    ['DTSTART:', 'missing-start'],
    ['SUMMARY:x', 'missing-start'],
  ])('%s: %s', async (line, reason) => {
    expect(await reasonFor(line)).toBe(reason);
  });

  it.each([
    ['DTSTART:20260101T090000Z', 'DTEND:20260101T085959Z', 'end-before-start'],
    ['DTSTART;TZID=Europe/Berlin:20260101T090000', 'DTEND;TZID=America/New_York:20260101T020000', 'end-before-start'],
    ['DTSTART;VALUE=DATE:20260102', 'DTEND;VALUE=DATE:20260101', 'end-before-start'],
    ['DTSTART:20260102T100000', 'DTEND:20260102T070000Z', 'end-before-start'],
    ['DTSTART;VALUE=DATE:20260102', 'DTEND:20260103T000000', 'end-kind-differs'],
    ['DTSTART:20260102T000000', 'DTEND;VALUE=DATE:20260103', 'end-kind-differs'],
    ['DTSTART:20260101T090000Z', 'DTEND:tomorrow', 'invalid-end'],
    ['DTSTART:20260101T090000Z', 'DURATION:-PT1H', 'end-before-start'],
    ['DTSTART:20260101T090000Z', 'DURATION:P', 'invalid-duration'],
    ['DTSTART:20260101T090000Z', 'DURATION:PT', 'invalid-duration'],
    ['DTSTART:20260101T090000Z', 'DURATION:1H', 'invalid-duration'],
    ['DTSTART:20260101T090000Z', 'DURATION:P9999W9999D', 'ok'],
    ['DTSTART:99990101T090000Z', 'DURATION:P53W', 'invalid-duration'],
    ['DTSTART:20260101T090000Z', 'RRULE:FREQ=DAILY;COUNT=-1', 'invalid-rrule'],
    ['DTSTART:20260101T090000Z', 'RRULE:FREQ=DAILY;COUNT=1;UNTIL=20270101', 'invalid-rrule'],
    ['DTSTART:20260101T090000Z', 'RECURRENCE-ID:x', 'invalid-recurrence-id'],
  ])('%s %s: %s', async (first, second, reason) => {
    expect((await reasonFor(first, second)) ?? 'ok').toBe(reason);
  });

  it('of every kind', async () => {
    const kinds = async (line: string) => (await readEvent(line)).start;
    const localMs = Date.UTC(2026, 0, 1, 9);
    expect(await kinds('DTSTART:20260101T090000Z')).toEqual({ kind: 'utc', localMs });
    expect(await kinds('DTSTART:20260101T090000')).toEqual({ kind: 'floating', localMs });
    expect(await kinds('DTSTART;VALUE=DATE:20260101')).toEqual({ kind: 'date', localMs: Date.UTC(2026, 0, 1) });
    expect(await kinds('DTSTART;VALUE=DATE:20260101T000000')).toEqual({ kind: 'date', localMs: Date.UTC(2026, 0, 1) });
    expect(await kinds('DTSTART;TZID=Europe/Paris:20260101T090000')).toEqual({
      kind: 'zoned',
      localMs,
      timeZone: 'Europe/Paris',
    });
    expect(await kinds('DTSTART;TZID=Etc/UTC:20260101T090000')).toEqual({
      kind: 'utc',
      localMs,
      originalTzid: 'Etc/UTC',
    });
    expect(await kinds('DTSTART;TZID=Europe/Paris:20260101T090000Z')).toEqual({ kind: 'utc', localMs });
    expect(await kinds('DTSTART;TZID=:20260101T090000')).toEqual({ kind: 'floating', localMs });
    // A leap second is the 59th; years below 100 are not those of the last century.
    expect((await kinds('DTSTART:20161231T235960Z')).localMs).toBe(Date.UTC(2016, 11, 31, 23, 59, 59));
    expect(new Date((await kinds('DTSTART:00990101T000000Z')).localMs).toISOString()).toBe('0099-01-01T00:00:00.000Z');
  });

  it('end as the RFC says', async () => {
    const length = async (...lines: string[]) => {
      const { start, end } = await readEvent(...lines);
      expect(end.kind).toBe(start.kind);
      return (end.localMs - start.localMs) / HOUR;
    };
    const spring = 'DTSTART;TZID=Europe/Berlin:20260328T120000'; // the clocks go forward in the night
    expect(await length(spring, 'DURATION:P1D')).toBe(24);
    expect(await length(spring, 'DURATION:PT24H')).toBe(25);
    expect(await length(spring, 'DURATION:P1DT1H')).toBe(25);
    expect(await length(spring)).toBe(0);
    expect(await length('DTSTART;VALUE=DATE:20260101')).toBe(24);
    expect(await length('DTSTART;VALUE=DATE:20260101', 'DURATION:P1W')).toBe(168);
    expect(await length('DTSTART;VALUE=DATE:20260101', 'DURATION:PT36H')).toBe(48);
    expect(await length('DTSTART;VALUE=DATE:20260101', 'DURATION:P0D')).toBe(24);
    expect(await length('DTSTART:20260101T090000Z', 'DTEND:20260101T100000')).toBe(1);
    const flight = await readEvent(
      'DTSTART;TZID=Europe/Berlin:20260101T100000',
      'DTEND;TZID=America/New_York:20260101T080000',
    );
    expect(flight.end).toEqual({ kind: 'zoned', localMs: Date.UTC(2026, 0, 1, 8), timeZone: 'America/New_York' });
  });
});

describe('series', () => {
  const at = (...args: [number, number, number, number?]) => Date.UTC(...(args as [number, number, number]));

  it('dates come in the clock of the series', async () => {
    const event = await readEvent(
      'DTSTART;TZID=Europe/Berlin:20260101T090000',
      'DTEND;TZID=Europe/Berlin:20260101T100000',
      'RRULE:FREQ=DAILY;COUNT=300',
      'EXDATE;TZID=America/New_York:20260103T030000',
      'EXDATE:20260104T080000Z,20260704T070000Z',
      'EXDATE:20260105T090000',
      'EXDATE;VALUE=DATE:20260106',
      'EXDATE;TZID=Europe/Berlin:20260104T090000,nonsense,',
      'RDATE;VALUE=PERIOD:20261201T080000Z/PT1H,20261202T080000Z/20261202T100000Z,20261203T080000Z/PT0S',
    );
    expect(event.exdates).toEqual([
      at(2026, 0, 3, 9),
      at(2026, 0, 4, 9),
      at(2026, 0, 5, 9),
      at(2026, 0, 6, 9),
      at(2026, 6, 4, 9),
    ]);
    expect(event.rdates).toEqual([at(2026, 11, 1, 9), at(2026, 11, 2, 9)]);
    expect(event.rdatePeriods).toEqual([{ localMs: at(2026, 11, 2, 9), durationMs: 2 * HOUR }]);
    expect(event.warnings).toEqual(['period-length-differs', 'invalid-rdate', 'date-repaired', 'invalid-exdate']);
  });

  it('days, floating times and UTC', async () => {
    const days = await readEvent(
      'DTSTART;VALUE=DATE:20260101',
      'RDATE;VALUE=DATE:20260105,20260103,20260105',
      'EXDATE:20260107T000000Z',
    );
    expect(days.rdates).toEqual([at(2026, 0, 3), at(2026, 0, 5)]);
    expect(days.exdates).toEqual([at(2026, 0, 7)]);
    // Floating: the zone of the calendar, else the default.
    const floating = ['DTSTART:20260101T090000', 'EXDATE:20260102T080000Z'];
    expect((await readEvent(...floating)).exdates).toEqual([at(2026, 0, 2, 9)]);
    const [item] = await read(calendar('X-WR-TIMEZONE:Asia/Tokyo', vevent(...floating)));
    expect(item!.event?.exdates).toEqual([at(2026, 0, 2, 17)]);
    expect(item!.calendar.timeZone).toBe('Asia/Tokyo');
    const utc = await readEvent('DTSTART:20260101T090000Z', 'EXDATE;TZID=Europe/Berlin:20260702T110000');
    expect(utc.exdates).toEqual([at(2026, 6, 2, 9)]);
  });

  it('the start is an RDATE only where the rule might leave it out', async () => {
    const start = ['DTSTART:20260101T090000Z', 'RDATE:20260101T090000Z,20260102T090000Z'];
    expect((await readEvent(...start)).rdates).toEqual([at(2026, 0, 2, 9)]);
    expect((await readEvent(...start, 'RRULE:FREQ=WEEKLY;BYDAY=SU')).rdates).toEqual([
      at(2026, 0, 1, 9),
      at(2026, 0, 2, 9),
    ]);
  });

  it('changed occurrences', async () => {
    const changed = await readEvent(
      'DTSTART;TZID=Europe/Berlin:20260101T110000',
      'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260101T090000',
    );
    expect(changed.recurrenceId).toEqual({ kind: 'zoned', localMs: at(2026, 0, 1, 9), timeZone: 'Europe/Berlin' });
    expect(changed.recurrenceRange).toBe('THISANDFUTURE');
    expect((await readEvent('DTSTART:20260101T110000Z', 'RRULE:freq=daily; interval=2;')).rrule).toBe(
      'FREQ=DAILY;INTERVAL=2',
    );
  });
});

describe('fields', () => {
  it('wrong values are reported and left out', async () => {
    const event = await readEvent(
      'DTSTART:20260101T090000Z',
      'SUMMARY:first',
      'SUMMARY:second',
      'PRIORITY:10',
      'SEQUENCE:x',
      'STATUS:COMPLETED',
      'CLASS:X-TOP-SECRET',
      'TRANSP:X',
      'GEO:91;0',
      'CREATED:19990101',
      'ATTENDEE:',
      'LOCATION:',
      'BEGIN:VALARM',
      'TRIGGER:soon',
      'END:VALARM',
    );
    expect(event).toMatchObject({ summary: 'first', sequence: 0, classification: 'PRIVATE', transparency: 'OPAQUE' });
    for (const name of ['priority', 'status', 'geo', 'createdMs', 'location'] as const)
      expect(event[name]).toBeUndefined();
    expect(event.alarms).toEqual([]);
    expect([...event.warnings].sort()).toEqual(
      [
        'duplicate-property',
        'invalid-alarm',
        'invalid-value', // attendee
        'invalid-value', // created
        'invalid-value', // geo
        'invalid-value', // priority
        'invalid-value', // sequence
        'unknown-value', // class
        'unknown-value', // status
      ].sort(),
    );
  });

  it('alarms', async () => {
    const { alarms } = await readEvent(
      'DTSTART:20260101T090000Z',
      'BEGIN:VALARM',
      'TRIGGER;RELATED=END:-P1DT2H',
      'REPEAT:2',
      'DURATION:PT5M',
      'ACTION:audio',
      'ATTACH;FMTTYPE=audio/basic:http://example.com/a.aud',
      'END:VALARM',
      'BEGIN:VALARM',
      'TRIGGER;VALUE=DATE-TIME:20260101T083000Z',
      'DESCRIPTION:a\\nb',
      'X-EXTRA:1',
      'END:VALARM',
    );
    expect(alarms).toEqual([
      {
        action: 'AUDIO',
        trigger: { kind: 'relative', relatedTo: 'END', offsetMs: -DAY - 2 * HOUR },
        repeat: { count: 2, everyMs: 300_000 },
        attachments: [{ uri: 'http://example.com/a.aud', formatType: 'audio/basic' }],
        attendees: [],
        extraProperties: [],
      },
      {
        action: 'DISPLAY',
        trigger: { kind: 'absolute', atMs: Date.UTC(2026, 0, 1, 8, 30) },
        description: 'a\nb',
        attachments: [],
        attendees: [],
        extraProperties: [['x-extra', {}, 'unknown', '1']],
      },
    ]);
  });

  it('parameters without a field survive', async () => {
    const event = await readEvent(
      'DTSTART:20260101T090000Z',
      'SUMMARY;LANGUAGE=de;X-A=b:Hallo',
      'ORGANIZER;CN=A;DIR="ldap://x":mailto:a@b.c',
    );
    expect(event.propertyParameters).toEqual({ summary: { language: 'de', 'x-a': 'b' } });
    expect(event.organizer).toEqual({ uri: 'mailto:a@b.c', cn: 'A', parameters: { dir: 'ldap://x' } });
  });

  it('a start that is optional: RECURRENCE-ID stands for it, else DTSTAMP', async () => {
    const times = async (...lines: string[]) =>
      (await read(calendar(vevent(...lines)), { startOptional: true })).map(({ event, error }) =>
        event ? [event.start, event.end] : error?.reason,
      );
    const stamp = { kind: 'utc', localMs: Date.UTC(2026, 0, 1, 9) };
    const named = { kind: 'date', localMs: Date.UTC(2026, 0, 2) };
    const lines = ['DTSTAMP:20260101T090000Z', 'DTEND;VALUE=DATE:20250101'];
    expect(await times(...lines)).toEqual([[stamp, stamp]]);
    expect(await times(...lines, 'RECURRENCE-ID;VALUE=DATE:20260102')).toEqual([
      [named, { ...named, localMs: named.localMs + DAY }],
    ]);
    expect(await times('SUMMARY:x')).toEqual(['missing-start']);
    expect(await times('DTSTART:x', 'DTSTAMP:20260101T090000Z')).toEqual(['invalid-start']);
  });

  it('a missing UID is made from the content', async () => {
    const source = (summary: string) =>
      calendar('BEGIN:VEVENT', 'DTSTART:20260101T090000Z', `SUMMARY:${summary}`, 'END:VEVENT');
    const uid = async (summary: string) => (await read(source(summary)))[0]!.event?.uid;
    expect(await uid('a')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await uid('a')).toBe(await uid('a'));
    expect(await uid('b')).not.toBe(await uid('a'));
  });
});

describe('time zones', () => {
  const rules = (tzid: string, ...more: string[]) => [
    'BEGIN:VTIMEZONE',
    `TZID:${tzid}`,
    ...more,
    'BEGIN:STANDARD',
    'DTSTART:16010101T030000',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
    'END:STANDARD',
    'BEGIN:DAYLIGHT',
    'DTSTART:16010101T020000',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
    'END:DAYLIGHT',
    'END:VTIMEZONE',
  ];
  const fixed = (tzid: string, offset: string) => [
    'BEGIN:VTIMEZONE',
    `TZID:${tzid}`,
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    `TZOFFSETFROM:${offset}`,
    `TZOFFSETTO:${offset}`,
    'END:STANDARD',
    'END:VTIMEZONE',
  ];
  const event = (tzid: string, uid = '1') =>
    ['BEGIN:VEVENT', `UID:${uid}`, `DTSTART;TZID="${tzid}":20260701T090000`, 'END:VEVENT'].join('\r\n');
  const zoneOf = async (tzid: string, definition: string[], defaultTimeZone = 'Europe/Rome') => {
    const [item] = await read(calendar(...definition, event(tzid)), { defaultTimeZone });
    return [item!.event?.start.timeZone, ...item!.warnings.map(({ code }) => code)];
  };

  it.each([
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['/mozilla.org/20050126_1/Europe/Paris', 'Europe/Paris'],
    ['GMT+05:30', 'GMT+05:30'],
    ['europe/madrid', 'Europe/Madrid'],
  ])('%s by its name', async (tzid, zone) => {
    expect(await zoneOf(tzid, [])).toEqual([zone]);
    // Whatever the file says about it.
    expect(await zoneOf(tzid, fixed(tzid, '-1000'))).toEqual([zone]);
  });

  it('by X-LIC-LOCATION, then by rules, the default zone first', async () => {
    expect(await zoneOf('x', rules('x', 'X-LIC-LOCATION:Europe/Oslo'))).toEqual(['Europe/Oslo']);
    expect(await zoneOf('x', rules('x'))).toEqual(['Europe/Rome']);
    expect(await zoneOf('x', rules('x'), 'Asia/Tokyo')).toEqual(['Europe/Berlin']);
    expect(await zoneOf('Customized Time Zone', rules('Customized Time Zone'))).toEqual(['Europe/Rome']);
    expect(await zoneOf('Berlin, Straße', rules('Berlin, Straße'))).toEqual(['Europe/Rome']);
  });

  it('a single offset is that offset, or the default zone when it has no other', async () => {
    expect(await zoneOf('x', fixed('x', '+0530'))).toEqual(['GMT+05:30']);
    expect(await zoneOf('x', fixed('x', '+0530'), 'Asia/Kolkata')).toEqual(['Asia/Kolkata']);
    expect(await zoneOf('x', fixed('x', '+0100'))).toEqual(['GMT+01:00']);
    // Seconds cannot be kept: better the default and a word about it.
    expect(await zoneOf('x', fixed('x', '+053020'))).toEqual(['Europe/Rome', 'unknown-time-zone']);
  });

  it('unknown ones become the default zone', async () => {
    expect(await zoneOf('x', [])).toEqual(['Europe/Rome', 'unknown-time-zone']);
    expect(await zoneOf('x', ['BEGIN:VTIMEZONE', 'TZID:x', 'END:VTIMEZONE'])).toEqual([
      'Europe/Rome',
      'unknown-time-zone',
    ]);
    expect(
      await zoneOf('x', [
        'BEGIN:VTIMEZONE',
        'TZID:x',
        'BEGIN:STANDARD',
        'DTSTART:19700101T000000',
        'TZOFFSETTO:+0100',
        'RRULE:FREQ=SECONDLY',
        'RRULE:nonsense',
        'END:STANDARD',
        'BEGIN:DAYLIGHT',
        'TZOFFSETTO:+9900',
        'END:DAYLIGHT',
        'END:VTIMEZONE',
      ]),
    ).toEqual(['GMT+01:00']);
  });

  it('may be defined after the events', async () => {
    const items = await read(calendar(event('x', 'a'), event('Europe/Paris', 'b'), ...rules('x'), event('x', 'c')));
    expect(items.map(({ index, event: e, warnings }) => [index, e?.uid, e?.start.timeZone, warnings.length])).toEqual([
      [1, 'b', 'Europe/Paris', 0],
      [0, 'a', 'Europe/Berlin', 0],
      [2, 'c', 'Europe/Berlin', 0],
    ]);
  });

  it('of one calendar say nothing about the next', async () => {
    const items = await read(
      calendar(...fixed('x', '+0300'), event('x')) + calendar(...fixed('x', '+0400'), event('x')),
    );
    expect(items.map(({ event: e }) => e?.start.timeZone)).toEqual(['GMT+03:00', 'GMT+04:00']);
  });

  it('only so much waits', async () => {
    const many = Array.from({ length: 50 }, (_, i) => event('x', String(i)));
    const items = await read(calendar(...many, ...rules('x')), { maxPendingBytes: 500 });
    expect(items).toHaveLength(50);
    expect(items.every(({ warnings }) => warnings[0]!.code === 'unknown-time-zone')).toBe(true);
    const limited = await read(calendar(...rules('x'), ...rules('y'), event('x'), event('y')), { maxTimeZones: 1 });
    expect(limited.map(({ warnings }) => warnings.length)).toEqual([0, 1]);
  });
});

describe('hostile files', () => {
  const simple = 'BEGIN:VEVENT\r\nUID:a\r\nDTSTART:20260101T090000Z\r\nEND:VEVENT\r\n';

  function* repeat(text: string, times: number): Generator<string> {
    const chunk = Math.max(1, Math.floor(65_536 / text.length));
    for (let left = times; left > 0; left -= chunk) yield text.repeat(Math.min(left, chunk));
  }

  it('200,000 open components', async () => {
    const nested = await read([...repeat('BEGIN:X\r\n', 200_000)]);
    expect(reasons(nested)).toEqual(['nested-too-deep']);
    const inside = await read([
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:b\r\nDTSTART:20260101T090000Z\r\n',
      ...repeat('BEGIN:VALARM\r\n', 200_000),
      ...repeat('END:VALARM\r\n', 200_000),
      'END:VEVENT\r\n',
      simple,
      'END:VCALENDAR',
    ]);
    expect(reasons(inside)).toEqual(['nested-too-deep', 'a']);
    const calendars = await read([...repeat('BEGIN:VCALENDAR\r\n', 200_000), simple]);
    expect(reasons(calendars)).toEqual(['a']);
    const events = await read(repeat('BEGIN:VEVENT\r\n', 200_000), { maxItems: 1_000 });
    expect(events).toHaveLength(1_001);
    expect(events.at(-1)?.error?.reason).toBe('too-many-items');
  });

  it('more items than are read, of a calendar that has properties', async () => {
    const header = 'BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\nX-WR-CALNAME:Team\r\nX-WR-TIMEZONE:Europe/Berlin\r\n';
    const items = await read([header, simple, simple], { maxItems: 1 });
    expect(reasons(items)).toEqual(['a', 'too-many-items']);
    expect(items[0]!.calendar).toMatchObject({ method: 'PUBLISH', name: 'Team' });
    expect(items[1]!.calendar).toEqual(items[0]!.calendar);
  });

  it('endless lines', async () => {
    const wrap = (...inner: string[]) => [
      'BEGIN:VEVENT\r\nUID:b\r\nDTSTART:20260101T090000Z\r\n',
      ...inner,
      '\r\nEND:VEVENT\r\n',
      simple,
    ];
    expect(reasons(await read(wrap('SUMMARY:', ...repeat('x', 3_000_000))))).toEqual(['line-too-long', 'a']);
    expect(reasons(await read(wrap('SUMMARY:', ...repeat('x\r\n ', 1_200_000))))).toEqual(['line-too-long', 'a']);
    expect(reasons(await read(wrap(...repeat('x', 3_000_000))))).toEqual(['line-too-long', 'a']);
    const [attached] = await read(wrap('ATTACH;ENCODING=BASE64;VALUE=BINARY:', ...repeat('QUJD', 700_000)));
    expect(attached!.event?.attachments).toEqual([]);
    expect(attached!.warnings).toMatchObject([{ code: 'long-line-dropped', line: 4 }]);
    // One octet at a time must not cost the square of the length.
    const slow = function* () {
      for (let i = 0; i < 300_000; i++) yield 'x';
    };
    expect(await read(slow())).toEqual([]);
  });

  it('endless items', async () => {
    const open = 'BEGIN:VEVENT\r\nUID:b\r\nDTSTART:20260101T090000Z\r\n';
    const end = 'END:VEVENT\r\n';
    expect(reasons(await read([open, ...repeat('X-A:1\r\n', 100_000), end, simple]))).toEqual(['item-too-large', 'a']);
    expect(reasons(await read([open, ...repeat(`X-A:${'y'.repeat(1000)}\r\n`, 5_000), end, simple]))).toEqual([
      'item-too-large',
      'a',
    ]);
    const [many] = await read([open, ...repeat('nonsense\r\n', 1_000), end]);
    expect(many!.warnings).toHaveLength(50);
    expect(many!.event?.uid).toBe('b');
  });

  it('zones that are dear to compare', async () => {
    const onsets = Array.from(
      { length: 3_000 },
      (_, i) =>
        `BEGIN:STANDARD\r\nDTSTART:${1600 + (i % 400)}0101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0${i % 10}00\r\nRRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU\r\nEND:STANDARD\r\n`,
    ).join('');
    const events = Array.from(
      { length: 30 },
      (_, i) => `BEGIN:VEVENT\r\nUID:${i}\r\nDTSTART;TZID=x:${1000 + i * 50}0101T000000\r\nEND:VEVENT\r\n`,
    ).join('');
    const started = Date.now();
    const items = await read(`BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:x\r\n${onsets}END:VTIMEZONE\r\n${events}`);
    expect(items.filter((item) => item.event)).toHaveLength(30);
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('stops reading its source at the limit', async () => {
    let chunks = 0;
    const source = function* () {
      for (;;) {
        chunks++;
        yield simple.repeat(10);
      }
    };
    expect(await read(source(), { maxItems: 25 })).toHaveLength(26);
    expect(chunks).toBe(3);
  });

  it('errors of the source are passed on', async () => {
    const source = function* () {
      yield simple;
      throw new Error('connection lost');
    };
    await expect(read(source())).rejects.toThrow('connection lost');
  });
});

describe('a file of 16,000 events', () => {
  it('does not fill the memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    let octets = 0;
    async function* source() {
      const piece = (text: string) => {
        const chunk = Buffer.from(text);
        octets += chunk.length;
        return chunk;
      };
      yield piece('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\n');
      for (let from = 0; from < 16_000; from += 100) {
        yield piece(
          Array.from({ length: 100 }, (_, i) =>
            [
              'BEGIN:VEVENT',
              `UID:${from + i}-4a8f3c52-9d1e-4b7a-8c66-0f2b5d7e9a13@example.org`,
              'DTSTAMP:20260101T000000Z',
              'DTSTART;TZID=Europe/Berlin:20260105T090000',
              'DTEND;TZID=Europe/Berlin:20260105T100000',
              `SUMMARY:Besprechung mit Überlänge, Nummer ${from + i}`,
              'LOCATION:Raum 4\\, zweiter Stock',
              'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=20',
              `ATTENDEE;CN="Doe, J";PARTSTAT=NEEDS-ACTION:mailto:j${from + i}@example.org`,
              'END:VEVENT',
              '',
            ].join('\r\n'),
          ).join(''),
        );
      }
      yield piece('END:VCALENDAR\r\n');
    }
    let count = 0;
    let before = 0;
    let highest = 0;
    for await (const item of readCalendar(source(), { defaultTimeZone: 'UTC', pause: () => undefined })) {
      if (item.event?.uid.startsWith(`${count}-`)) count++;
      if (count === 2_000) before = heap();
      else if (count % 2_000 === 0) highest = Math.max(highest, heap());
    }
    expect(count).toBe(16_000);
    expect(octets).toBeGreaterThan(6_000_000);
    expect(highest - before).toBeLessThan(1024 * 1024);
  });
});
