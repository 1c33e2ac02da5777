import ICAL from 'ical.js';
import fc from 'fast-check';
import { readCalendar, type CalendarEvent } from '@groupware/icalendar';
import { occurrencesBetween } from '@groupware/recurrence';
import { wholeSeriesOf } from '../domain/series';
import type { Appointment } from '../domain/appointment';
import { eventText as event, fileText as file } from '../testing/calendar-files';
import { toImportedContent, toInstant } from './from-event';
import { splitRanges } from './range-split';

const DAY = 86_400_000;
const HOUR = DAY / 24;
const START = Date.UTC(2026, 0, 5, 9);
const END = START + 400 * DAY;

async function read(text: string): Promise<CalendarEvent[]> {
  const events: CalendarEvent[] = [];
  for await (const item of readCalendar([Buffer.from(text)], {
    defaultTimeZone: 'UTC',
    maxItems: 100,
    pause: () => undefined,
  }))
    events.push(item.event!);
  return events;
}

const line = (start: number, end: number, title: string | undefined): string =>
  `${new Date(start).toISOString().slice(0, 16)} ${(end - start) / HOUR} ${title}`;

/** Lines of the occurrences of events that have no changes of all that follow. */
function shown(events: readonly CalendarEvent[]): string[] {
  const distinct = [...new Set(events)];
  return distinct
    .flatMap((each) => {
      if (each.rrule === undefined && each.rdates.length === 0)
        return [line(toInstant(each.start), toInstant(each.end), each.summary)];
      const changed = distinct.flatMap(({ uid, recurrenceId }) =>
        uid === each.uid && recurrenceId ? [recurrenceId.localMs] : [],
      );
      const content = toImportedContent(each, 'UTC').content as Appointment;
      const series = { ...wholeSeriesOf(content), exdates: [...each.exdates, ...changed] };
      return occurrencesBetween(series, START - 400 * DAY, END).map(({ startMs, endMs }) =>
        line(startMs, endMs, each.summary),
      );
    })
    .filter((text) => text < line(END, END, ''))
    .sort();
}

/** Lines of the occurrences that ical.js, an independent client, sees. */
function expected(text: string): string[] {
  const events = new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((component) => new ICAL.Event(component, { strictExceptions: false, exceptions: [] }));
  const [series, ...changes] = events;
  for (const change of changes) series!.relateException(change);
  const ms = (time: ICAL.Time): number =>
    Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
  const found: string[] = [];
  const iterator = series!.iterator();
  for (let next = iterator.next(); next && ms(next) < END + 60 * DAY; next = iterator.next()) {
    const { startDate, endDate, item } = series!.getOccurrenceDetails(next);
    found.push(line(ms(startDate), ms(endDate), item.summary));
  }
  return found.filter((text) => text < line(END, END, '')).sort();
}

const compact = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}`;

/** Starts of a series, which changes may name. */
function startsOf(rule: string): number[] {
  const iterator = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromJSDate(new Date(START), true));
  const starts: number[] = [];
  for (let next = iterator.next(); next && starts.length < 25; next = iterator.next())
    starts.push(Date.UTC(next.year, next.month - 1, next.day, next.hour, next.minute, next.second));
  return starts;
}

const RULES = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=WEEKLY;BYDAY=MO,WE,FR',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH',
];
const MONTHLY = ['FREQ=MONTHLY;BYDAY=1MO', 'FREQ=MONTHLY;BYMONTHDAY=5', 'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1'];

const files = fc
  .record({
    rule: fc.oneof(
      fc.tuple(fc.constantFrom(...RULES), fc.constantFrom('', ';COUNT=30', ';UNTIL=20260401T090000Z')),
      // Without end a monthly series cannot move to other days.
      fc.tuple(fc.constantFrom(...MONTHLY), fc.constantFrom(';COUNT=12', ';UNTIL=20261101T090000Z')),
    ),
    zulu: fc.constantFrom('', 'Z'),
    ranges: fc.uniqueArray(
      fc.record({
        at: fc.nat(11),
        days: fc.constantFrom(0, 0, 1, -1, 2),
        hours: fc.integer({ min: -5, max: 9 }),
        length: fc.integer({ min: 1, max: 5 }),
      }),
      { selector: ({ at }) => at, minLength: 1, maxLength: 3 },
    ),
    single: fc.uniqueArray(fc.nat(20), { maxLength: 3 }),
    gone: fc.uniqueArray(fc.nat(20), { maxLength: 2 }),
    isFirst: fc.boolean(),
  })
  .map(({ rule, zulu, ranges, single, gone, isFirst }) => {
    const text = rule.join('');
    const starts = startsOf(
      text
        .replace('UNTIL=20260401T090000Z', 'UNTIL=20260401T090000')
        .replace('UNTIL=20261101T090000Z', 'UNTIL=20261101T090000'),
    );
    const time = (ms: number): string => `${compact(ms)}${zulu}`;
    const named = new Set(ranges.map(({ at }) => at));
    const change = (at: number, range: string, start: number, hours: number, title: string): string[] =>
      starts[at] === undefined
        ? []
        : [
            event(
              'UID:s',
              `RECURRENCE-ID${range}:${time(starts[at])}`,
              `DTSTART:${time(start)}`,
              `DTEND:${time(start + hours * HOUR)}`,
              `SUMMARY:${title}`,
            ),
          ];
    const changes = [
      ...ranges.flatMap(({ at, days, hours, length }) =>
        change(at, ';RANGE=THISANDFUTURE', (starts[at] ?? 0) + days * DAY + hours * HOUR, length, `from ${at}`),
      ),
      ...single
        .filter((at) => !named.has(at))
        .flatMap((at) => change(at, '', (starts[at] ?? 0) + 3 * HOUR, 1, `one ${at}`)),
    ];
    const without = gone.filter((at) => !named.has(at) && !single.includes(at) && starts[at] !== undefined && at > 0);
    const master = event(
      'UID:s',
      `DTSTART:${time(START)}`,
      `DTEND:${time(START + HOUR)}`,
      `RRULE:${zulu ? text : text.replace(/(UNTIL=\w+)Z/, '$1')}`,
      ...(without.length > 0 ? [`EXDATE:${without.map((at) => time(starts[at]!)).join(',')}`] : []),
      'SUMMARY:series',
    );
    return file(master, ...(isFirst ? changes : changes.reverse()));
  });

describe('changes of an occurrence and all that follow', () => {
  it('show what an independent client sees', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (text) => {
        const split = await splitRanges(await read(text), 'UTC');
        expect(split.filter(({ recurrenceRange }) => recurrenceRange)).toEqual([]);
        expect(shown(split)).toEqual(expected(text));
      }),
      { numRuns: 250 },
    );
  });

  const daily = event('UID:s', 'DTSTART:20260105T090000Z', 'DTEND:20260105T100000Z', 'RRULE:FREQ=DAILY', 'SUMMARY:a');
  const from = (id: string, start: string, ...lines: string[]): string =>
    event('UID:s', `RECURRENCE-ID;RANGE=THISANDFUTURE:${id}`, `DTSTART:${start}`, 'DURATION:PT1H', ...lines);

  it('move by the clock of the series', async () => {
    const text = file(
      event(
        'UID:s',
        'DTSTART;TZID=Europe/Berlin:20260325T090000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=7',
        'SUMMARY:a',
      ),
      event(
        'UID:s',
        'RECURRENCE-ID;RANGE=THISANDFUTURE:20260327T080000Z',
        'DTSTART:20260327T100000Z',
        'DURATION:PT2H',
        'SUMMARY:b',
      ),
    );
    expect(shown(await splitRanges(await read(text), 'UTC'))).toEqual([
      ...['2026-03-25T08:00 1 a', '2026-03-26T08:00 1 a', '2026-03-27T10:00 2 b', '2026-03-28T10:00 2 b'],
      ...['2026-03-29T09:00 2 b', '2026-03-30T09:00 2 b', '2026-03-31T09:00 2 b'],
    ]);
  });

  it('are the series itself when they begin with its first occurrence', async () => {
    const [main, change] = await splitRanges(
      await read(file(daily, from('20260105T090000Z', '20260105T110000Z'))),
      'UTC',
    );
    expect(main).toBe(change);
    expect(main).toMatchObject({ uid: 's', rrule: 'FREQ=DAILY', start: { localMs: Date.UTC(2026, 0, 5, 11) } });
  });

  it('leave the uid to the part before them, and have the same one each time', async () => {
    const text = file(daily, from('20260110T090000Z', '20260110T090000Z'));
    const [once, again] = [await splitRanges(await read(text), 'UTC'), await splitRanges(await read(text), 'UTC')];
    expect(once).toEqual(again);
    expect(once.map(({ uid }) => uid)).toEqual(['s', 's_R20260110T090000']);
    expect(once[0]!.rrule).toBe('FREQ=DAILY;UNTIL=20260109T090000Z');
  });

  const monthly = event('UID:s', 'DTSTART:20260131T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=-1');
  it.each<[string, string[]]>([
    ['lack their series', [from('20260110T090000Z', '20260110T090000Z')]],
    ['name no occurrence', [daily, from('20260110T093000Z', '20260110T110000Z')]],
    ['turn times into days', [daily, from('20260110T090000Z', '20260110T110000')]],
    ['cannot be said by a rule', [monthly, from('20260228T090000Z', '20260301T090000Z')]],
    ['belong to no series', [daily.replace(/RRULE.*\r\n/, ''), from('20260105T090000Z', '20260105T110000Z')]],
  ])('stay as they came when they %s', async (_why, components) => {
    const events = await read(file(...components));
    expect(await splitRanges(events, 'UTC')).toEqual(events);
  });
});
