import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { CalendarTime, CalendarTodo } from './calendar-event';
import { readCalendar } from './calendar-reader';
import { writeTodos } from './calendar-writer';
import type { ImportedItem } from './imported-item';

async function read(text: string | Buffer): Promise<ImportedItem[]> {
  const items: ImportedItem[] = [];
  for await (const item of readCalendar([text], {
    defaultTimeZone: 'Europe/Berlin',
    kind: 'VTODO',
    pause: () => undefined,
  }))
    items.push(item);
  return items;
}

async function write(todos: readonly CalendarTodo[]): Promise<string> {
  let text = '';
  for await (const piece of writeTodos(todos, { prodId: '-//Example//EN', nowMs: 0 })) text += piece;
  return text;
}

const file = (...lines: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VTODO', ...lines, 'END:VTODO', 'END:VCALENDAR', ''].join('\r\n');

const readOne = async (...lines: string[]): Promise<CalendarTodo> => (await read(file(...lines)))[0]!.todo!;
const linesOf = async (todo: CalendarTodo): Promise<string[]> =>
  (await write([todo])).replace(/\r\n[ \t]/g, '').split('\r\n');
/** The zone as the file spelt it is not written again; a day may be spelt as a time. */
const comparable = (todo: CalendarTodo): unknown =>
  JSON.parse(JSON.stringify(todo, (key, value: unknown) => (key === 'originalTzid' ? undefined : value)));

describe('a VTODO', () => {
  it('is read with everything that a task can have', async () => {
    const todo = await readOne(
      'UID:t-1',
      'DTSTAMP:20310901T080000Z',
      'CREATED:20310831T080000Z',
      'SUMMARY;LANGUAGE=en:Tune the piano',
      'DTSTART;TZID=Europe/Berlin:20310909T090000',
      'DUE;TZID=America/New_York:20310909T170000',
      'RRULE:FREQ=WEEKLY;BYDAY=TU,FR',
      'EXDATE;TZID=Europe/Berlin:20310912T090000',
      'STATUS;X-ACME-STATUS=WAITING:CANCELLED',
      'PERCENT-COMPLETE:60',
      'COMPLETED:20310910T101500Z',
      'PRIORITY:1',
      'CLASS:CONFIDENTIAL',
      'CATEGORIES:music,home',
      'RELATED-TO;RELTYPE=PARENT:t-0',
      'X-ACME-COLOR:teal',
      'ORGANIZER;CN=Ada:mailto:ada@example.org',
      'ATTENDEE;PARTSTAT=IN-PROCESS:mailto:bob@example.org',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'TRIGGER;RELATED=END:-PT30M',
      'DESCRIPTION:soon',
      'END:VALARM',
    );
    expect(todo).toMatchObject({
      uid: 't-1',
      summary: 'Tune the piano',
      start: { kind: 'zoned', timeZone: 'Europe/Berlin', localMs: Date.UTC(2031, 8, 9, 9) },
      due: { kind: 'zoned', timeZone: 'America/New_York', localMs: Date.UTC(2031, 8, 9, 17) },
      rrule: 'FREQ=WEEKLY;BYDAY=TU,FR',
      exdates: [Date.UTC(2031, 8, 12, 9)],
      status: 'CANCELLED',
      percentComplete: 60,
      completedMs: Date.UTC(2031, 8, 10, 10, 15),
      priority: 1,
      classification: 'CONFIDENTIAL',
      categories: ['music', 'home'],
      propertyParameters: { status: { 'x-acme-status': 'WAITING' }, summary: { language: 'en' } },
      extraProperties: [
        ['related-to', { reltype: 'PARENT' }, 'text', 't-0'],
        ['x-acme-color', {}, 'unknown', 'teal'],
      ],
      attendees: [{ uri: 'mailto:bob@example.org', partStat: 'IN-PROCESS' }],
      alarms: [{ action: 'DISPLAY', trigger: { kind: 'relative', relatedTo: 'END', offsetMs: -1_800_000 } }],
    });
    const lines = await linesOf(todo);
    expect(lines).toEqual(
      expect.arrayContaining([
        'DUE;TZID=America/New_York:20310909T170000',
        'STATUS;X-ACME-STATUS=WAITING:CANCELLED',
        'COMPLETED:20310910T101500Z',
        'RELATED-TO;RELTYPE=PARENT:t-0',
        'X-ACME-COLOR:teal',
        'TRIGGER;RELATED=END:-PT30M',
      ]),
    );
    // Both zones are defined before the task that needs them.
    expect(lines.filter((line) => line.startsWith('TZID:'))).toEqual(['TZID:Europe/Berlin', 'TZID:America/New_York']);
  });

  it('needs no date at all', async () => {
    const todo = await readOne('UID:t-2', 'SUMMARY:Sometime');
    expect(todo).toMatchObject({ start: undefined, due: undefined, rdates: [], exdates: [] });
    expect((await linesOf(todo)).filter((line) => /^(DTSTART|DUE|DURATION)/.test(line))).toEqual([]);
  });

  it('is due on the day that DUE names', async () => {
    const todo = await readOne('UID:t-3', 'DUE;VALUE=DATE:20310909');
    expect(todo.due).toEqual({ kind: 'date', localMs: Date.UTC(2031, 8, 9) });
    expect(await linesOf(todo)).toContain('DUE;VALUE=DATE:20310909');
  });

  it('is due a DURATION after its start, and says so again', async () => {
    const days = await readOne('UID:t-4', 'DTSTART;VALUE=DATE:20310909', 'DURATION:P2D');
    expect(days).toMatchObject({ due: { kind: 'date', localMs: Date.UTC(2031, 8, 11) }, duration: 'P2D' });
    expect(await linesOf(days)).toContain('DURATION:P2D');
    // Clocks go back on 26 October: two hours later it is half past two, for the first time.
    const hours = await readOne('UID:t-5', 'DTSTART;TZID=Europe/Berlin:20311026T013000', 'DURATION:PT2H');
    expect(hours.due).toMatchObject({ localMs: Date.UTC(2031, 9, 26, 2, 30) });
    expect(await linesOf(hours)).toContain('DURATION:PT2H');
  });

  it('without DTSTART has no use for DURATION', async () => {
    const [item] = await read(file('UID:t-6', 'DURATION:PT2H'));
    expect(item!.todo).toMatchObject({ due: undefined });
    expect(item!.warnings.map(({ code }) => code)).toEqual(['duplicate-property']);
  });

  it('takes a day as COMPLETED', async () => {
    expect((await readOne('UID:t-7', 'COMPLETED:20310909')).completedMs).toBe(Date.UTC(2031, 8, 9));
  });

  it.each([
    ['invalid-start', 'DTSTART:tomorrow'],
    ['invalid-end', 'DUE:20311399'],
    ['invalid-rrule', 'RRULE:FREQ=SOMETIMES'],
    ['invalid-recurrence-id', 'RECURRENCE-ID:then'],
  ])('fails with %s alone', async (reason, line) => {
    const text = file('UID:bad', line).replace('END:VCALENDAR\r\n', '') + file('UID:good');
    const items = await read(text);
    expect(items.map(({ error, todo }) => error?.reason ?? todo!.uid)).toEqual([reason, 'good']);
  });

  it('is no VEVENT, nor the other way round', async () => {
    const text =
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20310909T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
    expect((await read(text)).map(({ kind, error }) => [kind, error?.reason])).toEqual([
      ['VEVENT', 'unsupported-component'],
    ]);
    const items: ImportedItem[] = [];
    for await (const item of readCalendar([file('UID:t')], { defaultTimeZone: 'UTC', pause: () => undefined }))
      items.push(item);
    expect(items.map(({ kind, error }) => [kind, error?.reason])).toEqual([['VTODO', 'unsupported-component']]);
  });
});

const dateTime = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }).map((ms) => ms - (ms % 1000));
const time: fc.Arbitrary<CalendarTime> = fc.oneof(
  dateTime.map((ms) => ({ kind: 'date' as const, localMs: ms - (ms % 86_400_000) })),
  dateTime.map((localMs) => ({ kind: 'utc' as const, localMs })),
  dateTime.map((localMs) => ({ kind: 'floating' as const, localMs })),
  fc.record({
    kind: fc.constant('zoned' as const),
    localMs: dateTime.map((ms) => ms - (ms % 86_400_000) + 12 * 3_600_000),
    timeZone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
  }),
);
const text = fc
  .string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(...'aZ9 ,;:"\\\n=ä😀') })
  .filter((value) => value.trim() === value && value !== '');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const todo: fc.Arbitrary<CalendarTodo> = fc.record({
  uid: fc.uuid(),
  sequence: fc.nat(1000),
  summary: optional(text),
  description: optional(text),
  location: optional(text),
  start: optional(time),
  due: optional(time),
  rrule: optional(fc.constantFrom('FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=TU,FR', 'FREQ=MONTHLY;COUNT=3')),
  rdates: fc.constant([]),
  exdates: fc.constant([]),
  status: optional(fc.constantFrom('NEEDS-ACTION', 'IN-PROCESS', 'COMPLETED', 'CANCELLED')),
  percentComplete: optional(fc.nat(100)),
  completedMs: optional(dateTime),
  priority: optional(fc.nat(9)),
  classification: fc.constantFrom('PUBLIC', 'PRIVATE', 'CONFIDENTIAL'),
  categories: fc.array(text, { maxLength: 3 }),
  attendees: fc.array(
    fc.record({
      uri: fc.emailAddress().map((address) => `mailto:${address}`),
      cn: optional(fc.constantFrom('Ada', 'Bob; "B"'.replaceAll('"', ''))),
    }),
    { maxLength: 2 },
  ),
  alarms: fc.array(
    fc.record({
      action: fc.constantFrom('DISPLAY', 'AUDIO'),
      trigger: fc.oneof(
        fc.record({
          kind: fc.constant('relative' as const),
          relatedTo: fc.constantFrom('START', 'END'),
          offsetMs: fc.integer({ min: -10_000, max: 10_000 }).map((minutes) => minutes * 60_000 + 0),
        }),
        fc.record({ kind: fc.constant('absolute' as const), atMs: dateTime }),
      ),
      attendees: fc.constant([]),
      attachments: fc.constant([]),
      extraProperties: fc.constant([]),
    }),
    { maxLength: 2 },
  ),
  attachments: fc.constant([]),
  dtstampMs: dateTime,
  extraProperties: fc.constantFrom(
    [],
    [['related-to', {}, 'text', 'parent'] as const],
    [['x-acme', { a: 'b' }, 'unknown', 'v'] as const],
  ),
  extraComponents: fc.constant([]),
});

describe('writing and reading tasks again', () => {
  it('changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(todo, { maxLength: 4 }), async (todos) => {
        const items = await read(await write(todos));
        expect(items.map((item) => comparable(item.todo!))).toEqual(todos.map(comparable));
      }),
      { numRuns: 150 },
    );
  }, 40_000);

  it('keeps what real programs wrote', async () => {
    const folder = join(__dirname, '..', 'testdata', 'todos');
    for (const name of readdirSync(folder)) {
      const items = await read(readFileSync(join(folder, name)));
      expect([name, items.map(({ error }) => error)]).toEqual([name, items.map(() => undefined)]);
      const again = await read(await write(items.map((item) => item.todo!)));
      expect(again.map((item) => comparable(item.todo!))).toEqual(items.map((item) => comparable(item.todo!)));
    }
  });
});
