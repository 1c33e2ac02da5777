import fs from 'node:fs';
import path from 'node:path';
import { calendar, calendarExport, calendarFolders, calendarImport } from '@groupware/contracts';
import { fileStoreFor, type FileStore } from '@groupware/file-store';
import { type CalendarEvent, readCalendar } from '@groupware/icalendar';
import { occurrencesBetween, parseRule, type Series, ZoneOffsets } from '@groupware/recurrence';
import { codeOf, person, runCalendar, type RunningCalendar } from '../testing/running-calendar';

const SAMPLES = path.join(__dirname, '../../../../libs/icalendar/testdata');
const WIDE = { start: -2_208_988_800_000, end: 4_102_444_800_000 };
let running: RunningCalendar;
let files: FileStore;
let next = 500;

async function someone(timeZone = 'UTC') {
  const user = person((next += 1), { timeZone });
  const folders = await running.call(calendarFolders.visible, {
    principal: { kind: 'internal', service: 'folders', contextId: 1, user },
  });
  return { user, folder: String(folders[0].id) };
}
type Someone = Awaited<ReturnType<typeof someone>>;

async function* bytes(text: string | Uint8Array) {
  yield typeof text === 'string' ? Buffer.from(text) : text;
}

async function load({ user, folder }: Someone, text: string | Uint8Array, query: object = {}): Promise<any[]> {
  const stored = await files.write(bytes(text), { maxBytes: 100_000_000 });
  return running.call(calendarImport.ICAL, {
    principal: user,
    query: { folder, ...query },
    files: [
      {
        field: 'file',
        reference: stored.reference,
        name: 'a.ics',
        contentType: 'text/calendar',
        sizeBytes: stored.sizeBytes,
      },
    ],
    deadline: Date.now() + 300_000,
  });
}

async function save({ user, folder }: Someone): Promise<string> {
  const answer = await running.request(calendarExport.ICAL, { principal: user, query: { folder } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of files.read(answer.file!.reference)) chunks.push(chunk);
  await files.remove(answer.file!.reference);
  return Buffer.concat(chunks).toString();
}

const rows = ({ user, folder }: Someone, columns: string, query: object = {}): Promise<any[][]> =>
  running.call(calendar.all, {
    principal: user,
    query: { ...WIDE, columns: columns.split(','), folder, timezone: 'UTC', range: 'overlap', ...query },
  });

/** Everything the tables hold of a user's calendar, without ids and stamps. */
const state = (folder: string) =>
  running.sql(
    `select uid, recurrence_local, position, start_ms, end_ms, range_end_ms, time_zone, full_time, floating, title, location, note,
       shown_as, classification, color, categories, sequence, rule, rdates, exdates, changes, extra::text as extra,
       (select m.uid from appointment m where m.id = a.series_id and m.context_id = 1) as series
     from appointment a where folder_id = $1 and context_id = 1 order by uid, recurrence_local nulls first`,
    [folder],
  );

const event = (lines: string[]): string =>
  ['BEGIN:VEVENT', 'DTSTAMP:20200101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');
const file = (...events: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//T//T//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');

beforeAll(async () => {
  running = await runCalendar();
  files = fileStoreFor(running.environment.FILESTORE_URL!);
}, 60_000);
afterAll(() => running?.close());

const samples = fs
  .readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ics'))
  .sort();

/** Occurrences by the engine alone, from the file: what the view must show. */
function expected(events: readonly CalendarEvent[], zone: string): number[] {
  const found: number[] = [];
  for (const item of events) {
    const { start, end } = item;
    const timed = start.kind === 'zoned' || start.kind === 'utc';
    const timeZone = start.kind === 'zoned' ? start.timeZone! : 'UTC';
    const instant = (local: number) => (timed ? ZoneOffsets.of(timeZone).localToInstant(local) : local);
    const startMs = instant(start.localMs);
    const ofUid = events.filter(({ uid, recurrenceId }) => uid === item.uid && recurrenceId);
    const replaced = ofUid.map(({ recurrenceId }) => {
      const time = recurrenceId!;
      if (start.kind === 'date') return Math.floor(time.localMs / 86_400_000) * 86_400_000;
      if (time.kind === 'date') return time.localMs + (start.localMs % 86_400_000);
      if (time.kind === 'floating' || !timed) return time.localMs;
      const at = time.kind === 'utc' ? time.localMs : ZoneOffsets.of(time.timeZone!).localToInstant(time.localMs);
      return ZoneOffsets.of(timeZone).instantToLocal(at);
    });
    if (item.recurrenceId || (!item.rrule && item.rdates.length === 0)) {
      found.push(startMs);
      continue;
    }
    const series: Series = {
      rule: item.rrule ? parseRule(item.rrule) : undefined,
      startLocalMs: start.localMs,
      timeZone: timed ? timeZone : 'UTC',
      durationMs: Math.max(0, end.localMs - start.localMs),
      allDay: start.kind === 'date',
      rdates: item.rdates,
      exdates: [...item.exdates, ...replaced],
    };
    found.push(...occurrencesBetween(series, WIDE.start, WIDE.end, { limit: 5000 }).map(({ startMs: at }) => at));
  }
  void zone;
  return found.sort((a, b) => a - b);
}

describe('import of calendar files', () => {
  it.each(samples)('%s: a result per item, and the occurrences of its events', async (name) => {
    const content = fs.readFileSync(path.join(SAMPLES, name));
    const items = [];
    for await (const item of readCalendar([content], { defaultTimeZone: 'UTC' })) items.push(item);
    const ann = await someone();
    const results = await load(ann, content);
    expect(results).toHaveLength(items.length);
    for (const item of items) {
      const result = results[item.index];
      if (item.event) expect(result).toMatchObject({ folder_id: ann.folder, id: expect.stringMatching(/^\d+$/) });
      else expect(result).toMatchObject({ code: 'I_E-1310', index: item.index, error: expect.any(String) });
    }
    const stored = new Map<string, CalendarEvent>();
    for (const { event: found } of items)
      if (found) stored.set(`${found.uid} ${found.recurrenceId?.localMs ?? ''}`, found);
    const wanted = expected([...stored.values()], 'UTC');
    const answer = codeOf(rows(ann, '201'));
    if (wanted.length > 1000) expect(await answer).toBe('CAL-5072');
    else expect((await rows(ann, '201')).map(([start]) => start)).toEqual(wanted);

    const before = await state(ann.folder);
    expect(await load(ann, content)).toEqual(results);
    expect(await state(ann.folder)).toEqual(before);
  });

  it('brings a series and its exceptions together in any order, over batches and over a second import', async () => {
    const master = event([
      'UID:s',
      'DTSTART;TZID=Europe/Berlin:20240101T090000',
      'DTEND;TZID=Europe/Berlin:20240101T100000',
      'RRULE:FREQ=DAILY;COUNT=3',
      'SUMMARY:S',
    ]);
    const exception = event([
      'UID:s',
      'RECURRENCE-ID;TZID=Europe/Berlin:20240102T090000',
      'DTSTART;TZID=Europe/Berlin:20240102T120000',
      'DTEND;TZID=Europe/Berlin:20240102T130000',
      'SUMMARY:E',
    ]);
    const [forward, backward, twice] = [await someone(), await someone(), await someone()];
    await load(forward, file(master, exception));
    await load(backward, file(exception, master));
    await load(twice, file(exception));
    await load(twice, file(master));
    const want = [1704096000000, 1704193200000, 1704268800000];
    for (const who of [forward, backward, twice]) {
      expect((await rows(who, '201')).map(([start]) => start)).toEqual(want);
      expect(await state(who.folder)).toEqual(await state(forward.folder));
    }
  });

  it('writes what it read: export and import again give the same state', async () => {
    const ann = await someone('Europe/Berlin');
    const bob = await someone('Europe/Berlin');
    await load(
      ann,
      file(
        event([
          'UID:1',
          'DTSTART:20240101T090000',
          'DTEND:20240101T100000',
          'SUMMARY:floating\\, yes',
          'TRANSP:TRANSPARENT',
          'X-FOO;X-BAR=1:baz',
        ]),
        event([
          'UID:2',
          'DTSTART;VALUE=DATE:20240101',
          'DTEND;VALUE=DATE:20240103',
          'RRULE:FREQ=YEARLY',
          'CLASS:CONFIDENTIAL',
          'CATEGORIES:a,b',
        ]),
        event([
          'UID:3',
          'DTSTART;TZID=America/New_York:20240101T090000',
          'DURATION:PT90M',
          'RRULE:FREQ=WEEKLY;BYDAY=MO,TU;UNTIL=20240301T000000Z',
          'EXDATE;TZID=America/New_York:20240102T090000',
          'ATTENDEE;CN=X;PARTSTAT=ACCEPTED:mailto:x@y.invalid',
          'ORGANIZER:mailto:o@y.invalid',
          'BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:d\r\nTRIGGER:-PT15M\r\nEND:VALARM',
        ]),
        event([
          'UID:3',
          'RECURRENCE-ID;TZID=America/New_York:20240108T090000',
          'DTSTART;TZID=America/New_York:20240108T110000',
          'DURATION:PT1H',
          'SUMMARY:moved',
        ]),
        event([
          'UID:4',
          'DTSTART:20240105T090000Z',
          'DTEND:20240105T100000Z',
          'X-MICROSOFT-CDO-BUSYSTATUS:OOF',
          'X-COLOR-LABEL:4',
          'URL:https://example.com',
        ]),
      ),
    );
    const [, [first]] = [0, await rows(ann, '204,207', { start: 1704096000000, end: 1704150000000 })];
    expect(first).toBeDefined();
    const results = await load(bob, await save(ann));
    expect(results.every(({ id }) => id)).toBe(true);
    const strip = (list: any[]) => list.map(({ extra, ...rest }) => ({ ...rest, extra: JSON.parse(extra) }));
    expect(strip(await state(bob.folder))).toEqual(strip(await state(ann.folder)));
    expect(await rows(bob, '200,201,202,204,207,402,102,100,101')).toEqual(
      await rows(ann, '200,201,202,204,207,402,102,100,101'),
    );
  });

  it('gives new unique ids when asked to, one for a series and its exceptions', async () => {
    const ann = await someone();
    const text = file(
      event(['UID:s', 'DTSTART:20240101T090000Z', 'RRULE:FREQ=DAILY;COUNT=2']),
      event(['UID:s', 'RECURRENCE-ID:20240102T090000Z', 'DTSTART:20240102T100000Z']),
    );
    await load(ann, text, { ignoreUIDs: true });
    await load(ann, text, { ignoreUIDs: true });
    expect(new Set((await state(ann.folder)).map(({ uid }) => uid)).size).toBe(2);
    expect(await rows(ann, '1')).toHaveLength(4);
  });

  it('imports 16,000 events with exact counts and flat memory; after a kill a second run gives the state of one clean run', async () => {
    const many = Array.from({ length: 16_000 }, (_, index) => {
      const day = new Date(Date.UTC(2020, 0, 1 + (index % 2000))).toISOString().slice(0, 10).replaceAll('-', '');
      return event([
        `UID:many-${index}`,
        `DTSTART:${day}T${String(index % 24).padStart(2, '0')}0000Z`,
        'DURATION:PT1H',
        `SUMMARY:Event ${index}`,
        `DESCRIPTION:${'x'.repeat(200)}`,
      ]);
    });
    const text = file(...many);
    expect(text.length).toBeGreaterThan(5_000_000);
    const [clean, cut] = [await someone(), await someone()];
    global.gc?.();
    const before = process.memoryUsage().rss;
    const results = await load(clean, text);
    expect(results).toHaveLength(16_000);
    expect(results.filter(({ id }) => id)).toHaveLength(16_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
    await load(cut, `${text.slice(0, text.indexOf('UID:many-7000'))}`);
    await load(cut, text);
    expect(
      await running.sql('select count(*)::int as count from appointment where folder_id = $1', [cut.folder]),
    ).toEqual([{ count: 16_000 }]);
    expect(await state(cut.folder)).toEqual(await state(clean.folder));
  }, 120_000);

  it('refuses other folders, more than one file and files without content', async () => {
    const ann = await someone();
    expect(await codeOf(load(ann, ''))).toBe('I_E-1303');
    expect(await codeOf(load({ ...ann, folder: '33' }, file()))).toBe('I_E-0500');
    expect(
      await codeOf(running.call(calendarImport.ICAL, { principal: ann.user, query: { folder: ann.folder } })),
    ).toBe('I_E-1309');
    expect(await load(ann, file())).toEqual([]);
  });
});
