import fc from 'fast-check';
import ICAL from 'ical.js';
import type {
  CalendarAlarm,
  CalendarAttachment,
  CalendarAttendee,
  CalendarEvent,
  CalendarTime,
  PropertyParameters,
  RawProperty,
} from './calendar-event';
import { readCalendar } from './calendar-reader';
import { writeCalendar } from './calendar-writer';

const DAY = 86_400_000;
const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'GMT+08:00', 'GMT-03:30', 'US/Eastern'];

/** Removes what iCalendar cannot carry: controls but tab and newline. */
const clean = (text: string) => text.replace(/\r\n?/g, '\n').replace(/(?![\t\n])\p{Cc}/gu, '');
const hardPieces = [
  '\\',
  ',',
  ';',
  ':',
  '"',
  '\n',
  '^',
  "^'",
  '^n',
  '\\n',
  '=',
  ' ',
  '\t',
  'ä',
  '€',
  '😀',
  'BEGIN:VEVENT',
];
const rawText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc
    .array(fc.oneof(fc.constantFrom(...hardPieces), fc.string({ maxLength: 4 })), { maxLength: 40 })
    .map((p) => p.join('')),
);
/** Not blank: an empty value is the same as none. */
const text = rawText.map(clean).filter((value) => value.trim() !== '');
const parameterText = text.map((value) => value.replace(/\t/g, ' '));
const uri = fc
  .constantFrom(
    'mailto:a@example.org',
    'MAILTO:B@Example.org',
    'c@example.org',
    'urn:uuid:1-2',
    'https://e.org/ä?b=c;d,e:f',
  )
  .chain((base) =>
    fc.string({ unit: fc.constantFrom('a', ';', ',', '"', '\\', 'ö'), maxLength: 100 }).map((s) => base + s),
  );
const token = fc.constantFrom('ACCEPTED', 'X-OTHER', 'ROOM', 'CHAIR');
const parameters: fc.Arbitrary<PropertyParameters | undefined> = fc.option(
  fc.dictionary(fc.constantFrom('language', 'altrep', 'x-a', 'dir', 'x-b_c'), parameterText, { minKeys: 1 }),
  { nil: undefined },
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const seconds = (min: number, max: number) =>
  fc.integer({ min: Math.ceil(min / 1000), max: Math.floor(max / 1000) }).map((s) => s * 1000);
const instant = seconds(Date.UTC(1000, 0, 1), Date.UTC(9999, 0, 1));
const localMs = fc.oneof(instant, seconds(Date.UTC(1990, 0, 1), Date.UTC(2040, 0, 1)));

const time: fc.Arbitrary<CalendarTime> = fc.oneof(
  localMs.map((ms): CalendarTime => ({ kind: 'date', localMs: Math.floor(ms / DAY) * DAY })),
  localMs.map((ms): CalendarTime => ({ kind: 'utc', localMs: ms })),
  localMs.map((ms): CalendarTime => ({ kind: 'floating', localMs: ms })),
  fc
    .tuple(localMs, fc.constantFrom(...zones))
    .map(([ms, timeZone]): CalendarTime => ({ kind: 'zoned', localMs: ms, timeZone })),
);

const attendee: fc.Arbitrary<CalendarAttendee> = fc.record({
  uri,
  cn: optional(parameterText),
  cuType: optional(token),
  role: optional(token),
  partStat: optional(token),
  rsvp: optional(fc.boolean()),
  sentBy: optional(uri.map((value) => value.replace(/"/g, ''))),
  comment: optional(parameterText),
  parameters: optional(
    fc.record({
      'delegated-to': fc.oneof(
        fc.constant('mailto:x@y.z'),
        fc.array(
          uri.map((u) => u.replace(/"/g, '')),
          { minLength: 2, maxLength: 6 },
        ),
      ),
      language: fc.constant('de'),
    }),
  ),
});

const attachment: fc.Arbitrary<CalendarAttachment> = fc
  .tuple(
    fc.oneof(
      fc.record({ uri }),
      fc
        .uint8Array({ minLength: 1, maxLength: 200 })
        .map((octets) => ({ data: Buffer.from(octets).toString('base64') })),
    ),
    fc.record({
      formatType: optional(fc.constant('text/plain')),
      fileName: optional(parameterText),
      size: optional(fc.nat()),
      managedId: optional(parameterText),
      parameters,
    }),
  )
  .map(([content, rest]) => ({ ...content, ...rest }));

const extraProperty: fc.Arbitrary<RawProperty> = fc.oneof(
  fc
    .tuple(fc.constantFrom('x-foo', 'x-bar.baz', 'x-constructor'), parameters, rawText.map(clean))
    .map(([name, params, value]): RawProperty => [name, params ?? {}, 'unknown', value.replace(/\n/g, '')]),
  fc
    .tuple(fc.constantFrom('comment', 'contact', 'related-to'), parameters, rawText.map(clean))
    .map(([name, params, value]): RawProperty => [name, params ?? {}, 'text', value]),
  fc.array(text, { minLength: 1, maxLength: 3 }).map((values): RawProperty => ['resources', {}, 'text', ...values]),
  fc.constantFrom<RawProperty>(
    ['constructor', {}, 'unknown', 'x'],
    ['request-status', {}, 'unknown', '2.0;Success;a\\,b'],
    ['x-when', { tzid: 'Europe/Berlin' }, 'date-time', '20260101T090000'],
    ['exrule', {}, 'recur', 'FREQ=DAILY;COUNT=3'],
  ),
);

const alarm: fc.Arbitrary<CalendarAlarm> = fc.record({
  action: fc.constantFrom('DISPLAY', 'AUDIO', 'EMAIL', 'X-OTHER'),
  trigger: fc.oneof(
    fc.record({
      kind: fc.constant('relative' as const),
      relatedTo: fc.constantFrom('START' as const, 'END' as const),
      offsetMs: seconds(-400 * DAY, 400 * DAY),
    }),
    fc.record({ kind: fc.constant('absolute' as const), atMs: instant }),
  ),
  description: optional(text),
  summary: optional(text),
  uid: optional(text),
  repeat: optional(fc.record({ count: fc.integer({ min: 1, max: 100 }), everyMs: seconds(1000, 3 * DAY) })),
  acknowledgedMs: optional(instant),
  attendees: fc.array(attendee, { maxLength: 2 }),
  attachments: fc.array(attachment, { maxLength: 2 }),
  extraProperties: fc.array(extraProperty, { maxLength: 2 }),
});

const sortedTimes = (start: CalendarTime) =>
  fc
    .uniqueArray(start.kind === 'date' ? localMs.map((ms) => Math.floor(ms / DAY) * DAY) : localMs, { maxLength: 8 })
    .map((times) => times.filter((ms) => ms !== start.localMs).sort((a, b) => a - b));

const event: fc.Arbitrary<CalendarEvent> = fc
  .tuple(time, fc.integer({ min: 0, max: 90 * 86_400 }), optional(time))
  .chain(([start, length, recurrenceId]) => {
    const lengthMs = start.kind === 'date' ? Math.ceil((length + 1) / 86_400) * DAY : length * 1000;
    return fc
      .record({
        uid: text,
        sequence: fc.nat(),
        recurrenceRange: fc.constantFrom(undefined, recurrenceId && ('THISANDFUTURE' as const)),
        summary: optional(text),
        location: optional(text),
        description: optional(text),
        rrule: fc.constantFrom(undefined, 'FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10', 'FREQ=DAILY;INTERVAL=2'),
        rdates: sortedTimes(start),
        exdates: sortedTimes(start),
        periodLength: optional(seconds(DAY, 40 * DAY)),
        transparency: fc.constantFrom('OPAQUE' as const, 'TRANSPARENT' as const),
        status: fc.constantFrom(undefined, 'TENTATIVE' as const, 'CONFIRMED' as const, 'CANCELLED' as const),
        classification: fc.constantFrom('PUBLIC' as const, 'PRIVATE' as const, 'CONFIDENTIAL' as const),
        categories: fc.array(text, { maxLength: 4 }),
        priority: optional(fc.integer({ min: 0, max: 9 })),
        color: optional(fc.constantFrom('red', 'turquoise')),
        url: optional(uri),
        geo: optional(
          fc.record({
            latitude: fc.integer({ min: -90e6, max: 90e6 }).map((n) => n / 1e6 + 0),
            longitude: fc.integer({ min: -180e6, max: 180e6 }).map((n) => n / 1e6 + 0),
          }),
        ),
        organizer: optional(
          fc.record({
            uri,
            cn: optional(parameterText),
            sentBy: optional(fc.constant('mailto:s@example.org')),
            parameters,
          }),
        ),
        attendees: fc.array(attendee, { maxLength: 4 }),
        alarms: fc.array(alarm, { maxLength: 3 }),
        attachments: fc.array(attachment, { maxLength: 3 }),
        createdMs: optional(instant),
        lastModifiedMs: optional(instant),
        dtstampMs: instant,
        extraProperties: fc.array(extraProperty, { maxLength: 4 }),
        summaryParameters: parameters,
      })
      .map(({ periodLength, summaryParameters, ...fields }): CalendarEvent => {
        const durationMs =
          periodLength === undefined
            ? undefined
            : start.kind === 'date'
              ? Math.ceil(periodLength / DAY) * DAY
              : periodLength;
        return {
          ...fields,
          start,
          end: { ...start, localMs: start.localMs + lengthMs },
          recurrenceId,
          // Not the event's own length, which would make it a plain date.
          rdatePeriods: fields.rdates
            .slice(0, 1)
            .flatMap((ms) =>
              durationMs === undefined || Math.abs(durationMs - lengthMs) <= DAY ? [] : [{ localMs: ms, durationMs }],
            ),
          propertyParameters: fields.summary && summaryParameters ? { summary: summaryParameters } : undefined,
          extraComponents: [],
        };
      });
  });

const chunked = (source: string, size: number) => {
  const octets = Buffer.from(source);
  return (function* () {
    for (let from = 0; from < octets.length; from += size) yield octets.subarray(from, from + size);
  })();
};

describe('writing and reading again', () => {
  const runs = Number(process.env.ICALENDAR_PROPERTY_RUNS ?? 300);

  it('gives the same events', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 200 }),
        async (events, size) => {
          let source = '';
          for await (const piece of writeCalendar(events, { prodId: '-//Example//EN', calendarName: 'a,b;c\\' }))
            source += piece;
          expect(source.split('\r\n').find((line) => Buffer.byteLength(line) > 75)).toBeUndefined();
          expect(() => ICAL.parse(source)).not.toThrow();
          const again: unknown[] = [];
          for await (const item of readCalendar(chunked(source, size), {
            defaultTimeZone: 'UTC',
            pause: () => undefined,
          })) {
            expect(item.error).toBeUndefined();
            expect(item.calendar.name).toBe('a,b;c\\');
            again.push(item.event);
          }
          expect(again).toEqual(events);
        },
      ),
      { numRuns: runs },
    );
  }, 120_000);

  it('never throws, whatever is done to a file', async () => {
    const change = fc.tuple(
      fc.nat(),
      fc.nat({ max: 30 }),
      fc.oneof(
        fc.string({ maxLength: 20 }),
        fc.constantFrom('\r\n', 'BEGIN:VALARM\r\n', 'END:VEVENT\r\n', ';', ':', '"'),
      ),
    );
    await fc.assert(
      fc.asyncProperty(event, fc.array(change, { minLength: 1, maxLength: 6 }), async (original, changes) => {
        let source = '';
        for await (const piece of writeCalendar([original], { prodId: 'x' })) source += piece;
        for (const [at, length, inserted] of changes) {
          const from = at % source.length;
          source = source.slice(0, from) + inserted + source.slice(from + length);
        }
        const indexes: number[] = [];
        for await (const item of readCalendar([source], { defaultTimeZone: 'UTC', pause: () => undefined })) {
          indexes.push(item.index);
          expect(Boolean(item.event)).toBe(!item.error);
        }
        expect(indexes.sort((a, b) => a - b)).toEqual(indexes.map((_, index) => index));
      }),
      { numRuns: runs },
    );
  }, 120_000);
});
