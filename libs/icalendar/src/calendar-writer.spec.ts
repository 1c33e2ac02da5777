import ICAL from 'ical.js';
import { ZoneOffsets } from '@groupware/recurrence';
import type { CalendarEvent } from './calendar-event';
import { readCalendar } from './calendar-reader';
import { writeCalendar, type CalendarWriteOptions } from './calendar-writer';
import { readComponent } from './component';
import { LineSplitter } from './line-splitter';
import { timeZoneBlock } from './time-zone-block';
import { ZoneDefinition } from './zone-definition';

const HOUR = 3_600_000;

const event = (fields: Partial<CalendarEvent> = {}): CalendarEvent => ({
  uid: '1',
  sequence: 0,
  start: { kind: 'utc', localMs: Date.UTC(2026, 0, 1, 9) },
  end: { kind: 'utc', localMs: Date.UTC(2026, 0, 1, 10) },
  rdates: [],
  rdatePeriods: [],
  exdates: [],
  transparency: 'OPAQUE',
  classification: 'PUBLIC',
  categories: [],
  attendees: [],
  alarms: [],
  attachments: [],
  extraProperties: [],
  extraComponents: [],
  ...fields,
});

const zoned = (timeZone: string, hour = 9) => ({
  kind: 'zoned' as const,
  localMs: Date.UTC(2026, 0, 1, hour),
  timeZone,
});

async function write(events: CalendarEvent[], options: Partial<CalendarWriteOptions> = {}): Promise<string> {
  let text = '';
  for await (const piece of writeCalendar(events, { prodId: '-//Example//EN', nowMs: 0, ...options })) text += piece;
  return text;
}

const unfolded = (text: string) => text.replace(/\r\n /g, '').split('\r\n');

describe('a calendar', () => {
  it('without events', async () => {
    expect(await write([])).toBe(
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\nCALSCALE:GREGORIAN\r\nEND:VCALENDAR\r\n',
    );
  });

  it('with everything around the events', async () => {
    const text = await write([], { method: 'PUBLISH', calendarName: 'Work, home; away', timeZone: 'Europe/Berlin' });
    expect(unfolded(text)).toEqual(
      expect.arrayContaining([
        'METHOD:PUBLISH',
        'NAME:Work\\, home\\; away',
        'X-WR-CALNAME:Work\\, home\\; away',
        'X-WR-TIMEZONE:Europe/Berlin',
      ]),
    );
  });

  it('writes an event as the RFC has it', async () => {
    const text = await write([
      event({
        uid: 'a@example.org',
        sequence: 2,
        start: { kind: 'date', localMs: Date.UTC(2026, 0, 1) },
        end: { kind: 'date', localMs: Date.UTC(2026, 0, 3) },
        summary: 'a, b; c\\d\ne',
        rrule: 'FREQ=YEARLY',
        exdates: [Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1)],
        transparency: 'TRANSPARENT',
        classification: 'CONFIDENTIAL',
        categories: ['x,y', 'z'],
        geo: { latitude: 52.5, longitude: -0.000001 },
        organizer: { uri: 'mailto:o@example.org', cn: 'Ott; "O"' },
        attendees: [{ uri: 'mailto:b@example.org', partStat: 'ACCEPTED', rsvp: true }],
        alarms: [
          {
            action: 'DISPLAY',
            trigger: { kind: 'relative', relatedTo: 'START', offsetMs: -15 * 60_000 },
            attendees: [],
            attachments: [],
            extraProperties: [],
          },
        ],
      }),
    ]);
    expect(unfolded(text).slice(4, -2)).toEqual([
      'BEGIN:VEVENT',
      'UID:a@example.org',
      'DTSTAMP:19700101T000000Z',
      'SEQUENCE:2',
      'DTSTART;VALUE=DATE:20260101',
      'DTEND;VALUE=DATE:20260103',
      'RRULE:FREQ=YEARLY',
      'EXDATE;VALUE=DATE:20270101,20280101',
      'SUMMARY:a\\, b\\; c\\\\d\\ne',
      'TRANSP:TRANSPARENT',
      'CLASS:CONFIDENTIAL',
      'CATEGORIES:x\\,y,z',
      'GEO:52.5;-0.000001',
      `ORGANIZER;CN="Ott; ^'O^'":mailto:o@example.org`,
      'ATTENDEE;PARTSTAT=ACCEPTED;RSVP=TRUE:mailto:b@example.org',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'TRIGGER:-PT15M',
      'END:VALARM',
      'END:VEVENT',
    ]);
  });

  it('leaves an end at the start out', async () => {
    const at = zoned('Europe/Berlin');
    const text = await write([event({ start: at, end: at })]);
    expect(text).not.toContain('DTEND');
    expect(text).toContain('DTSTART;TZID=Europe/Berlin:20260101T090000\r\n');
  });

  it('gives each event out before it asks for the next', async () => {
    const asked: number[] = [];
    const source = async function* () {
      for (let i = 0; i < 3; i++) {
        asked.push(i);
        yield event({ uid: String(i) });
      }
    };
    const pieces = writeCalendar(source(), { prodId: 'x' });
    await pieces.next();
    expect(asked).toEqual([]);
    expect((await pieces.next()).value).toContain('UID:0\r\n');
    expect(asked).toEqual([0]);
  });
});

describe('values that try to break out', () => {
  it('stay in their line', async () => {
    const evil = 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT\nUID:evil\rSUMMARY:evil\u0000\u0085';
    const text = await write([
      event({
        uid: evil,
        summary: evil,
        url: evil,
        rrule: undefined,
        categories: [evil],
        organizer: { uri: evil, cn: evil, parameters: { [evil]: 'a', 'x-a': evil, value: 'TEXT' } },
        attendees: [{ uri: `mailto:a${evil}`, role: evil, parameters: { 'delegated-to': [evil, evil] } }],
        attachments: [{ uri: evil, fileName: evil }],
        extraProperties: [
          ['x-a', {}, 'unknown', evil],
          ['x-b', {}, `text;${evil}`, evil],
          [evil, {}, 'unknown', 'a'],
          ['END', {}, 'unknown', 'VEVENT'],
          ['begin', { 'x-a': '1' }, 'text', 'VEVENT'],
        ],
        extraComponents: [
          { name: evil, properties: [], components: [] },
          { name: 'X-OK', properties: [['x-c', {}, 'unknown', evil]], components: [] },
        ],
      }),
    ]);
    expect(unfolded(text).filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1);
    expect(text).not.toMatch(/(^|[^\r])\n|\r(?!\n)|[\0\u0085]/);
    const items = [];
    for await (const item of readCalendar([text], { defaultTimeZone: 'UTC', pause: () => undefined })) items.push(item);
    expect(items.map(({ error }) => error?.reason)).toEqual([undefined]);
    expect(items[0]!.event?.summary).toBe('x\nEND:VEVENT\nBEGIN:VEVENT\nUID:evil\nSUMMARY:evil');
    expect(items[0]!.event?.extraProperties).toEqual([
      ['x-a', {}, 'unknown', 'xEND:VEVENTBEGIN:VEVENTUID:evilSUMMARY:evil'],
      ['x-b', {}, 'unknown', 'xEND:VEVENTBEGIN:VEVENTUID:evilSUMMARY:evil'],
    ]);
    expect(items[0]!.event?.extraComponents.map(({ name }) => name)).toEqual(['X-OK']);
  });
});

describe('time zones', () => {
  it('precede the first event that needs them, once', async () => {
    const berlin = zoned('Europe/Berlin');
    const text = await write([
      event({ uid: 'a' }),
      event({ uid: 'b', start: berlin, end: zoned('Asia/Tokyo', 20) }),
      event({ uid: 'c', start: berlin, end: berlin, recurrenceId: zoned('US/Eastern') }),
      event({ uid: 'd', start: zoned('GMT-03:30'), end: zoned('GMT-03:30', 10) }),
    ]);
    expect(unfolded(text).filter((line) => /^(TZID|UID):/.test(line))).toEqual([
      'UID:a',
      'TZID:Europe/Berlin',
      'TZID:Asia/Tokyo',
      'UID:b',
      'TZID:US/Eastern',
      'UID:c',
      'TZID:GMT-03:30',
      'UID:d',
    ]);
    expect(() => ICAL.parse(text)).not.toThrow();
  });

  it('stand at the top when they are known before', async () => {
    const text = await write([event({ start: zoned('Europe/Berlin'), end: zoned('Europe/Berlin', 10) })], {
      timeZones: ['Asia/Tokyo', 'Europe/Berlin'],
    });
    expect(unfolded(text).filter((line) => /^(TZID|UID):/.test(line))).toEqual([
      'TZID:Asia/Tokyo',
      'TZID:Europe/Berlin',
      'UID:1',
    ]);
  });

  it('that do not exist are refused', async () => {
    await expect(write([event({ start: zoned('No/Where') })])).rejects.toThrow('No/Where');
  });

  const definitionOf = (timeZone: string) => {
    const block = timeZoneBlock(timeZone);
    const lines = [...new LineSplitter(1_000_000).feed(block + '\r\n')].slice(1, -1);
    return ZoneDefinition.read(readComponent('VTIMEZONE', lines, () => undefined));
  };

  it('every zone is described as it is', () => {
    const wrong: string[] = [];
    for (const zone of [
      ...Intl.supportedValuesOf('timeZone'),
      'US/Eastern',
      'Asia/Calcutta',
      'GMT+08:00',
      'GMT-03:30',
    ]) {
      const block = timeZoneBlock(zone);
      expect(block).toMatch(/^BEGIN:VTIMEZONE\r\n(.*\r\n)+END:VTIMEZONE\r\n$/);
      expect(unfolded(block)).toContain(`TZID:${zone}`);
      const definition = definitionOf(zone);
      const offsets = ZoneOffsets.forZone(zone);
      for (let at = Date.UTC(2025, 0, 1, 5); at < Date.UTC(2029, 0, 1); at += 4 * 24 * HOUR) {
        if (definition.offsetAt(at) !== offsets.offsetAt(at)) {
          wrong.push(`${zone} ${new Date(at).toISOString()}`);
          break;
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it('without a rule are listed', () => {
    // Morocco's clocks follow the moon; the library has no rule for that.
    const block = unfolded(timeZoneBlock('Africa/Casablanca')).join('\n');
    expect(block).toMatch(/RDATE:[^\n]*20260322T020000/);
    expect(
      timeZoneBlock('Africa/Casablanca')
        .split('\r\n')
        .every((line) => line.length <= 75),
    ).toBe(true);
    expect(timeZoneBlock('Europe/Berlin')).toContain('RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU');
  });
});
